/* Dock inside (floor: exec; used by dock.c, dock_setup.c, forks.c, summary.c, valid.c and anchor.c only). dock.c has
 * the invariants. The caller is the owner of its worker, inside and without a lock. */
#pragma once
#include "exec/flat/post.h"
#include "exec/grant/ride.h"
#include "exec/ground/options.h"

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
