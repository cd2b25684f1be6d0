/* Help: docked threads run tasks while they wait, if the floor above has some (floor: exec; called by dock.c, lend.c,
 * summary.c, helpers.c, the loop through the table of hooks, and by team, which owns the tasks: ground/above.h has its
 * functions).
 *
 * In a barrier, and in the primary thread's join, a docked thread runs tasks as part of its wait. A member that has
 * reached the end of the region is not needed there. The primary thread may go on at any moment, and the region may be
 * gone. So this member must register as a helper of the region before it runs tasks. One word holds the registrations:
 *
 *     help_word of the dock = region (its first phase) << 16 | closed << 15 | number of helpers    (helpers_word.h)
 *
 * A worker may raise the number only while the word names the worker's region and is not closed. The primary thread
 * closes the word when all is done, and goes on when the number is 0. So a registered helper may look at the region's
 * team. A worker registers at most once, for all of its crew (lend.c). It stays registered until the primary thread
 * closes the word.
 *
 * Words of groups. In a team with groups each of the smallest groups has such a word of its own, beside its copy of the
 * fork (forks.h). A worker uses only the word beside the line that its crew reads: crew.fork->help_word. So the workers
 * of far groups do not wait for each other's registrations. The dock's word serves a worker that has no memory for
 * groups, and tells wakers and the join that the region has tasks.
 *
 * Invariant, for each word: it is 0, or names the region in flight; its number is that of the workers registered there.
 * Proof that no helper looks at a region that is over: a helper raises the number of one word, by a compare-and-swap.
 * Either this precedes the `closed` of that word, and then the primary thread finds the number above 0 until the helper
 * has signed off. Or it finds `closed`, 0, or a later region, and fails. The primary thread goes on when it has seen 0
 * in each word, one after the other. That is enough, because the number of a closed word never rises. Words are opened
 * for the groups of the layout, which holds until the region is over. A worker of an earlier layout may look at any
 * word. But the word names no region of such a worker, because no phase is used twice.
 *
 * Each wait has an end. A helper waits for `closed` of its word: the primary thread stores that in all words, and wakes
 * all sleepers. The primary thread waits for the numbers: the last helper of each word wakes it. A worker that sleeps
 * before its word is open is woken for a task. The member that opens the words looks for tasks afterwards, and wakes a
 * worker (pool.c). Each later task does so, too.
 *
 * All callers are inside the runtime, but for the monitor. The owner of the worker calls these functions. Any thread
 * may call fg_help_may_call_crew, and so does the monitor. While the monitor holds the owner it calls
 * fg_help_calls_crew, too. The questions take no lock, and may come from the preemption handler. fg_help_called and
 * fg_help_late may also come under a bucket of the parking lot. The functions that wait, wake or run tasks are called
 * without a lock. Only fg_help_open, fg_help_until_closed and fg_help_close write the dock's word. The others write at
 * most `help` and `crew` of their own worker. Of other workers all read words as hints, and wake them. */
#pragma once
#include <stdbool.h>

struct fg_identity;
struct fg_root;
struct fg_worker;

/* The member that makes the docked region's pool of tasks calls this. It opens the word, which is 0 while the region
 * has no tasks. The primary thread closes the word, and stores 0 when the last helper is gone. */
void fg_help_open(void);
/* Members of the worker's crew have arrived and may be called for a task, and a task waits. The owner asks,
 * or the monitor while it holds the owner, because each question changes help.turns. */
bool fg_help_calls_crew(struct fg_worker *worker);
/* A hint of the same for any thread, because it does not look at the tasks. */
bool fg_help_may_call_crew(const struct fg_worker *worker);
/* A docked thread asks in a barrier or in the join whether a task waits. Only the owner asks, because each question
 * changes help.turns. */
bool fg_help_called(struct fg_worker *worker);
/* The worker's crew is at a barrier, and the tasks that there are now belong to the phase after it. Only the worker
 * asks. */
bool fg_help_late(const struct fg_worker *worker);
/* The worker leaves a wait. It may have been woken there for a task that it has not run. The worker's region must still
 * go on. */
void fg_help_pass_on(struct fg_worker *worker);
/* Runs the tasks that there are now, as the caller's member. */
void fg_help_run(struct fg_identity *self);
/* Waits until ready(worker). Any thread of the worker may ask ready(), even with a lock held. Where
 * ready_or_called(worker) is true before that, the caller runs tasks and waits again. If both are the same function, it
 * runs none. */
void fg_help_wait(struct fg_identity *self, bool (*ready)(struct fg_worker *),
		  bool (*ready_or_called)(struct fg_worker *));
/* Helps until the region is closed. Returns at once if it is closed. */
void fg_help_until_closed(struct fg_identity *self);
/* The primary thread calls this in its join. */
void fg_help_close(struct fg_identity *self);
#ifndef NDEBUG
bool fg_help_none(const struct fg_root *root); /* For an assert: no region of the dock is open to helpers. */
#endif
