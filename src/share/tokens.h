/* Tokens: further jobs of `make -jN` that this process may run (floor: share; called by share.c and start.c). A program
 * that keeps n PUs busy counts as n jobs: one by its start, and n - 1 by tokens.
 *
 * The thread that looks takes tokens and gives them back, one at a time. Another thread ends the process.
 *
 *     Invariant: the process has the tokens token[0] ... token[held - 1], and has no others but one that it is moving.
 *     Each token that was taken is given back once.
 *
 * Proof. Only the looker raises `held`, by one, after it has stored the token there (release). A thread that lowers it
 * has the tokens above the new number, and gives them back: the looker the last one, the end (acquire) all. Both change
 * `held` by one atomic step, so no token is given twice. If the step of the looker fails, the process ends: a token
 * that the looker has just taken is its own to give back, and one that it wanted to give back is the end's. After the
 * end `held` does not change.
 *
 * A looker that has lowered `held` has yet to write the token. If the process ended then, the token would be lost. So
 * `moving` is 1 meanwhile, and the end waits until it is 0. Dekker: the looker stores `moving`, then reads `held`; the
 * end changes `held`, then reads `moving`; there are fences between. So the end sees the move, or the looker the end.
 *
 * A process that is killed, or ends by _exit or exec, keeps what it had: make has so many tokens less until it ends. */
#pragma once
#include <stdbool.h>

#include "base/atomic.h"

extern struct fg_tokens {
	struct fg_atomic_u32 on; /* the process takes part */
} fg_tokens __attribute__((visibility("hidden")));

static inline bool
fg_tokens_on(void)
{
	return fg_load_relaxed(&fg_tokens.on);
}
/* The library is loaded, and there is one thread. makeflags: the value of MAKEFLAGS, or NULL. */
void fg_tokens_start(const char *makeflags);
/* The process joins the board. A child by fork goes on with what its parent has opened. The caller is outside the
 * runtime, and holds no lock. */
void fg_tokens_join(void);
/* A look in a region: the process could keep so many PUs busy, at least 1. Takes what it needs for that and can have,
 * and gives back what it does not need. Returns how many it may keep busy. It never waits. */
unsigned fg_tokens_hold(unsigned pus);
/* A look outside of regions: the process needs none. */
void fg_tokens_return(void);
/* The most PUs that it may have at its next look. */
unsigned fg_tokens_next(void);
/* The process ends: all go back, and it takes no more. False: a looker that has lost its PU has one in its hand. */
bool fg_tokens_end(void);
/* What there is belongs to the parent. */
void fg_tokens_after_fork(void);
