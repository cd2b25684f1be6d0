/* Await: a member waits for a word that other members write often and that few must wait for long (floor: team; used by
 * doacross.c and ordered.c).
 *
 * fg_unpark costs a full fence at each write: the writer stands until the line is its own. So here the writers look for
 * parked members only once a member has said that it parks. Protocol (Dekker, with the cost on one side):
 *
 *     writer: write the word; light fence; read parks; if it is not FG_AWAIT_NONE: full fence, fg_unpark
 *     waiter: parks = FG_AWAIT_SOON; heavy fence; parks = FG_AWAIT_KNOWN; fg_park, which reads the word again
 *
 * Invariant: of a write whose writer does not call fg_unpark, a member knows that has read FG_AWAIT_KNOWN and then made
 * a full fence. fg_park makes one before it reads the word.
 *
 * Proof sketch. That writer has read FG_AWAIT_NONE. So its fence came before the heavy fence of each member that has
 * written FG_AWAIT_SOON, and the write is visible to all that follow such a fence. FG_AWAIT_KNOWN is written after one.
 * A member that reads FG_AWAIT_SOON makes a heavy fence of its own, because that of the other may still come. Any other
 * writer calls fg_unpark, and the proof of park.c holds.
 *
 * A loop in which a member once parked keeps FG_AWAIT_KNOWN to its end. Its further waits need no heavy fence.
 *
 * A writer may be outside: it enters for fg_unpark. A member that waits is inside, and its wait may end on another
 * kernel thread. Neither holds a lock. */
#pragma once
#include <limits.h>

#include "exec/loop/loop.h"
#include "exec/loop/park.h"
#include "platform/membarrier.h"

enum { FG_AWAIT_NONE, FG_AWAIT_SOON, FG_AWAIT_KNOWN };

struct fg_await {
	struct fg_atomic_u32 parks; /* lies in a line that seldom changes */
};

static inline void
fg_await_init(struct fg_await *await)
{
	fg_store_relaxed(&await->parks, FG_AWAIT_NONE);
}

/* The caller has just written a word. False: no member that the write may concern is parked, or it will see the
 * write. */
static inline bool
fg_await_parks(struct fg_await *await)
{
	fg_fence_light();
	return fg_load_relaxed(&await->parks) != FG_AWAIT_NONE;
}

static inline void
fg_await_announce(struct fg_await *await)
{
	if (fg_load_relaxed(&await->parks) == FG_AWAIT_KNOWN)
		return;
	fg_store_relaxed(&await->parks, FG_AWAIT_SOON);
	fg_fence_heavy();
	fg_store_relaxed(&await->parks, FG_AWAIT_KNOWN);
}

/* Looks at the word have some distance from each other. A word that is looked at all the time is the writer's late, and
 * so its new value comes late, too. */
#define FG_AWAIT_LOOKS 2
#define FG_AWAIT_PAUSES 3

/* Where members share a worker, one of the others can often go on. The caller gives way up to so many times before it
 * parks. That takes less than to park and to be woken, and the writers have nothing to do for it. */
#define FG_AWAIT_YIELDS 64

/* Returns once goes_on(arg) is false. It reads the word with acquire order. So does still(arg), which fg_park calls. */
static inline __attribute__((always_inline)) void
fg_await(struct fg_await *await, const void *address, bool (*goes_on)(void *arg), bool (*still)(void *arg), void *arg)
{
	struct fg_spin spin = FG_SPIN_INIT;
	unsigned yields = 0;
	while (goes_on(arg)) {
		bool spins = fg_spin(&spin);
		if (!spins && yields < FG_AWAIT_YIELDS && fg_worker_others_wait(fg_self()->worker)) {
			yields++;
			fg_yield();
		} else if (!spins) {
			fg_await_announce(await);
			fg_park(address, still, arg);
		}
		for (unsigned i = 0; spins && i < FG_AWAIT_LOOKS && goes_on(arg); i++)
			for (unsigned k = 0; k < FG_AWAIT_PAUSES; k++)
				fg_cpu_pause();
	}
}
