/* Rejoin: who has nothing left to do in a nested region, or in one of kernel threads, comes back for its tasks (floor:
 * exec; called by birth.c, kernel_team.c and the loops of loop.c; the tasks are those of the floor `team`).
 *
 * A donor that has run members keeps the thread-local storage of the last of them until it runs another, so it may go
 * on as that member, and only it. Each worker notes (past) who turned away from a region on it last: such a donor, or
 * the region's encountering thread, suspended in its join. When the worker is idle, or who runs on it gives way, that
 * one looks for tasks.
 *
 * The region may be over by then, and its team be in use for another; teams are never freed, so their words can be
 * read. All is in the one word: number of the region << 16 | closed << 15 | helpers. Only while it names the noted
 * region, open, may one raise the count; the encountering thread closes the word when all is done, and goes on when the
 * count is 0. So whoever is registered may look at the region's team. One registers for a look as well, and for no
 * longer than a look or the tasks last. */
#pragma once
#include <stdbool.h>

#include "base/atomic.h"

struct fg_births;
struct fg_bubble;
struct fg_help;
struct fg_identity;
struct fg_worker;

/* Of the births. */
struct fg_rejoin {
	_Alignas(64) struct fg_atomic_u64 word;
	const struct fg_help *help; /* written before the word opens */
	uint64_t region;		/* by the encountering thread: how many there have been */
	bool parent_came; /* the encountering thread was resumed for tasks; by who resumes it and by itself */
};

/* A region begins: by the encountering thread. */
static inline void
fg_rejoin_begin(struct fg_rejoin *rejoin)
{
	rejoin->region++;
}
static inline bool
fg_rejoin_is_open(const struct fg_rejoin *rejoin)
{
	return (fg_load_relaxed(&rejoin->word) & ~(uint64_t)0x7fff) == rejoin->region << 16;
}
/* By a member, once: from now on there may be tasks. */
void fg_rejoin_open(struct fg_births *births, const struct fg_help *help);
/* By the encountering thread after its join, all tasks being done: returns when nobody helps any more. */
void fg_rejoin_close(struct fg_births *births);

/* The caller, which holds a share, has ended this member and is about to turn away from the region. */
void fg_rejoin_note(struct fg_identity *self, struct fg_births *births, unsigned member);
/* The worker may take up members of that region now, if it is the noted one: a spare that has left may have noted it.
 * (A team's number changes with the region: this is true of the noted one, or its number is no longer found.) */
bool fg_rejoin_is_for(const struct fg_worker *worker, const struct fg_births *births);
/* Who turned away last on this worker could be of use now; a hint. */
bool fg_rejoin_called(struct fg_worker *worker);
/* As above, as it looks from outside: tasks are possible. Anybody. */
bool fg_rejoin_may_call(const struct fg_worker *worker);
/* Whom to switch to for tasks, registered and with its order; NULL: nobody. It may be the caller, if that is a free
 * donor. */
struct fg_identity *fg_rejoin_take(struct fg_worker *worker, struct fg_identity *self);
/* Runs tasks as the member that the caller was; and the same as a donor's order says. */
void fg_rejoin_run(struct fg_identity *self, struct fg_births *births, unsigned member);
void fg_rejoin_order(struct fg_identity *self, struct fg_bubble *bubble);
/* The encountering thread in its join: true if it was resumed for tasks, which are done now; it is to join again. */
bool fg_rejoin_ran(struct fg_identity *self, struct fg_births *births);

/* For threads that do nothing else: registers with the noted region if it has tasks. fg_rejoin_leave ends that. */
bool fg_rejoin_enter(struct fg_births *births, uint64_t region);
void fg_rejoin_leave(struct fg_births *births);
