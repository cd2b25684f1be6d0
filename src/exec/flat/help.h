/* Help: docked threads run tasks while they wait, if the floor above has some (floor: exec; called by dock.c, and by
 * team, whose tasks they are).
 *
 * In a barrier or its join a docked thread runs tasks as part of its wait. A member that has reached the region's end
 * is free to leave: the primary thread may go on, and the region be gone, at any moment. To run tasks there it
 * registers as a helper of that region, in one word: region (first phase) << 16 | closed << 15 | helpers. Only while
 * the word names its region, open, may it raise the count; the primary thread closes the word when all is done, and
 * goes on when the count is 0. So whoever is registered may look at the region's team. A worker registers at most once,
 * for all of its crew (lend.c), and stays until the primary thread closes. */
#pragma once
#include "exec/thread/worker.h"

struct fg_help {
	/* There may be something to do for members of the team `job`. Only looks: any thread of the worker may ask,
	 * with a lock held. */
	bool (*waiting)(void *job);
	/* All that were made before the barrier of this phase are done, and some member has gone on. */
	bool (*past)(void *job, uint32_t phase);
	/* Somebody who was woken, perhaps for one that still waits, does not do it: wakes another, not `but`. */
	void (*call)(void *job, const struct fg_worker *but);
	/* Does all there is now; returns in how many turns of the wait to look again. */
	unsigned (*run)(struct fg_identity *self);
	/* By the primary thread, when all members have reached the end: returns when nothing more will come. */
	void (*finish)(struct fg_identity *self);
	/* As `run`, by who was this member of `job` and may be so again (rejoin.h). */
	unsigned (*come_back)(void *job, unsigned member);
};

extern struct fg_atomic_u64 fg_help_word; /* 0: no tasks in the docked region */

/* By one member of the docked region, once: from now on there may be tasks. */
void fg_help_open(const struct fg_help *help);
/* Members of the worker's crew that have arrived may be called for a task, and one waits. By the worker. */
bool fg_help_calls_crew(struct fg_worker *worker);
/* The same as it looks from outside. Anybody. */
bool fg_help_may_call_crew(const struct fg_worker *worker);
/* A docked thread in a barrier or join: */
bool fg_help_called(struct fg_worker *worker);
/* The worker's crew is at a barrier, and what tasks there are now are of the phase behind it. By the worker. */
bool fg_help_late(const struct fg_worker *worker);
/* The worker leaves a wait in which it may have been woken for a task that it has not run. While its region goes on. */
void fg_help_pass_on(struct fg_worker *worker);
/* Runs tasks once. */
void fg_help_run(struct fg_identity *self);
static inline bool
fg_help_calls(struct fg_worker *worker)
{
	return __builtin_expect(fg_load_relaxed(&fg_help_word) != 0, 0) && fg_help_called(worker);
}
/* Waits until ready(worker), running tasks; ready_or_called must be true also where fg_help_calls is. */
void fg_help_wait(struct fg_identity *self, bool (*ready)(struct fg_worker *),
		    bool (*ready_or_called)(struct fg_worker *));
/* The worker's region is open to helpers. */
static inline bool
fg_help_is_wanted(struct fg_worker *worker)
{
	uint64_t word = fg_load_relaxed(&fg_help_word);
	return __builtin_expect(word != 0, 0) && (word & 0x8000) == 0 && word >> 16 == worker->crew.region;
}
/* Helps until the region is closed; returns at once if it is. */
void fg_help_until_closed(struct fg_identity *self);
/* By the primary thread in its join. */
void fg_help_close(struct fg_identity *self);
