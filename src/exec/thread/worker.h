/* Worker: a kernel thread that carries threads (floor: exec; made by workers.c, root.c and kernel_team.c, used by most
 * files of exec). The pool has one for each PU. A thread of the program is the worker of its own regions. The search
 * for work is loop/loop.c. worker_state.h tells which thread may write which field.
 *
 * The questions here are plain reads: the owner's answer is exact, and that of other threads is a hint. They may be
 * asked with a lock held, and in a signal handler. Nothing here allocates or waits. */
#pragma once
#include "exec/thread/all_workers.h"
#include "exec/thread/clock.h"
#include "exec/thread/events.h"
#include "exec/thread/worker_state.h"
#include "forest/runqueue.h"

/* The worker shares its kernel thread. Only the owner gets an exact answer: others may see a worker that waits for a
 * place in a ride. */
static inline bool
fg_worker_rides(const struct fg_worker *worker)
{
	return fg_load_relaxed(&worker->head) != NULL;
}

/* The worker to whose kernel thread this one has come (grant/ride.h), or itself. It holds what belongs to the kernel
 * thread: the words of the ride and the ticks. */
static inline struct fg_worker *
fg_worker_head(struct fg_worker *worker)
{
	struct fg_worker *head = fg_load_relaxed(&worker->head);
	return __builtin_expect(head != NULL, 0) ? head : worker;
}

/* The origin whose threads and bubbles the worker may take from runqueues at the moment (root.h). NULL: any origin. */
static inline const void *
fg_worker_only(const struct fg_worker *worker)
{
	const struct fg_worker *head = fg_load_relaxed(&worker->head);
	if (__builtin_expect(head != NULL, 0))
		return head->home->root;
	return worker->slot == 0 && fg_load_relaxed(&worker->spare) == NULL ? worker->home->root : NULL;
}
static inline bool
fg_worker_may_take(const struct fg_worker *worker, const void *origin)
{
	if (!fg_load_relaxed(&fg_bubble_origins.several))
		return true;
	const void *only = fg_worker_only(worker);
	return !only || only == origin;
}

/* The level to which a thread returns that the worker has taken from `queue`; NULL: to its PU. A thief's PU does not
 * lie below the queue, so the thread stays with the thief. */
static inline struct fg_runqueue *
fg_worker_level_for(struct fg_worker *worker, struct fg_runqueue *queue)
{
	if (__builtin_expect(!queue || queue->n_pus == 1, 1))
		return NULL;
	return fg_worker_leaf(worker)->first_pu - queue->first_pu < queue->n_pus ? queue : NULL;
}

#define FG_EACH_WORKER(worker)                                                                                         \
	for (struct fg_worker * (worker) = fg_load_acquire(&fg_all_workers.first); (worker);                           \
	     (worker) = (worker)->all_next)

#ifndef NDEBUG
/* For asserts (valid.c). The first two: the caller runs on the worker. The third: a holder of its thread may ask,
 * too. The fourth: the caller is about to change the worker's state. */
bool fg_worker_is_own(const struct fg_worker *worker);
bool fg_worker_switch_valid(const struct fg_identity *self, const struct fg_identity *next);
bool fg_worker_valid(const struct fg_worker *worker);
bool fg_worker_change_valid(const struct fg_worker *worker, enum fg_worker_state to);
#endif

/* Sets the fields that all kinds of workers have, and makes the worker known to the others. */
void fg_worker_init(struct fg_worker *worker, struct fg_identity *home, unsigned slot, struct fg_runqueue *leaf);

/* The worker's state changes: a root is outside until the fork of a flat region or the publication of another one, and
 * again at the end of that region. (A publication within a region changes nothing.) A worker of the pool carries
 * threads from its hiring to its end. The owner calls this, or the thread that hires. The state is one word that others
 * read as a hint. */
static inline void
fg_worker_become(struct fg_worker *worker, enum fg_worker_state state)
{
	assert(fg_worker_change_valid(worker, state));
	worker->carries = state == FG_WORKER_CARRIES;
}

/* The worker sits at its seat from now on, and has the range of that seat: this one function changes the leaf of a
 * worker that runs. Only the owner calls it. */
static inline void
fg_worker_sit(struct fg_worker *worker)
{
	assert(fg_load_stable(&worker->seat));
	fg_store_relaxed(&worker->leaf, fg_load_relaxed(&worker->seat));
	worker->range = fg_load_relaxed(&worker->seat_range);
}

/* The owner asks: the slice of the thread that it runs is over, because something else has waited for so long. */
static inline bool
fg_worker_slice_is_over(const struct fg_worker *worker)
{
	return __builtin_expect(fg_load_relaxed(&worker->notice) & FG_NOTICE_SLICE, 0);
}
/* Threads begin to wait for the PU of this worker, which is the caller's: ticks will come soon. */
void fg_worker_renew_tick_slow(struct fg_worker *head);
static inline void
fg_worker_renew_tick(struct fg_worker *worker)
{
	worker = fg_worker_head(worker);
	if (__builtin_expect(worker->timer_on, 0))
		fg_worker_renew_tick_slow(worker);
}
/* The base of the spare that carries the worker, if the spare must give it back now; else NULL. */
struct fg_identity *fg_worker_claimed(struct fg_worker *worker);
