/* Dock inside (floor: exec; used by dock.c, dock_setup.c, cut.c, forks.c, summary.c, valid.c and anchor.c only). dock.c
 * has the invariants. The caller is the owner of its worker, inside and without a lock; waits' conditions may be asked
 * elsewhere, too (see below). */
#pragma once
#include "exec/flat/post.h"
#include "exec/grant/ride.h"
#include "exec/ground/options.h"
#include "exec/thread/wake.h"
#include "platform/membarrier.h"

static inline struct fg_atomic_u64 *
fg_done_line(struct fg_worker *worker, uint64_t phase)
{
	return &worker->done[phase & 1].phase;
}

/* The others are seldom more than a microsecond away. So the loop makes only the one load, and the pause leaves the
 * line to its writer. */
static inline bool
fg_wait_briefly(struct fg_worker *worker, bool (*ready)(struct fg_worker *worker))
{
	bool rides = fg_ride_concerns(worker);
	for (unsigned i = 0; i < fg_exec_options.brief_turns; i++) {
		if (ready(worker))
			return true;
		if (__builtin_expect(rides, 0))
			fg_ride_pause(worker, false);
		else
			fg_carrier->pause();
	}
	return false;
}

/* Waits' conditions: any thread of the worker may ask them, even with a lock held or in the preemption handler. So may
 * a thread that holds the worker, as the monitor does (relief/spare.c). Then this one writes cross_next there.
 * worker->flat.cross_* tell the workers that it waits for, in the last phase of its own crew. */
static inline bool
fg_dock_crossed(struct fg_worker *worker)
{
	uint64_t phase = worker->crew.phase;
	while (worker->flat.cross_next < worker->flat.cross_end) {
		if (fg_load_acquire(fg_done_line(fg_slot(worker->crew.team, worker->flat.cross_next), phase)) < phase)
			return false;
		worker->flat.cross_next++;
	}
	return true;
}

/* The caller has stored what they may wait for. */
static inline void
fg_dock_wake_slots(const struct fg_atomic_ptr *team, unsigned from, unsigned slots)
{
	fg_fence_light();
	if (__builtin_expect(fg_load_relaxed(&fg_idle.sleepers) == 0, 1))
		return;
	for (unsigned i = from; i < slots; i++)
		fg_wake_worker(fg_slot(team, i));
}

/* For cut.c. The caller arrives at a barrier. The worker: all of its crew have arrived. The caller must publish the
 * phase, and begin the next one by fg_dock_go_on. NULL: another member has done that. Another kernel thread may carry
 * the caller after each of the two. */
struct fg_worker *fg_dock_arrive(struct fg_identity *self);
void fg_dock_go_on(struct fg_identity *self);

/* fg_dock_worker is the code of a new worker's kernel thread, fg_dock_donor that of a docked donor,
 * fg_dock_anchor that of an anchor: dock_setup.c and anchor.c start them. fg_dock_wake_all makes all workers look at
 * their docks' lines, for fg_dock_end_workers. All of them are in dock.c. */
void fg_dock_worker(void *worker);
void fg_dock_donor(void);
void fg_dock_anchor(void);
void fg_dock_wake_all(void);

#ifndef NDEBUG
/* For asserts, on the worker itself (valid.c). The caller is about to fork, or has joined; its worker has seen a fork;
 * all of its crew have arrived, and the phase is not published yet; the next phase has begun with this member. */
bool fg_dock_fork_valid(const struct fg_root *root);
bool fg_dock_join_valid(const struct fg_root *root);
bool fg_dock_forked_valid(const struct fg_worker *worker);
bool fg_dock_phase_over_valid(const struct fg_worker *worker);
bool fg_dock_phase_begun_valid(const struct fg_worker *worker, const struct fg_identity *first);
#endif
