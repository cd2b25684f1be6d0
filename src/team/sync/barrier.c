/* The team's barrier (floor: team): see barrier.h.
 *
 * Docked teams use the dock's phases (exec/flat/dock.c). Large loose teams have counters of groups (arrivals.c). With
 * OMP_CANCELLATION the same phases end early where a region is cancelled (cancel.c). Otherwise loose and kernel teams
 * have a counter and a phase. The last member to arrive resets the counter, then raises the phase (release) and wakes
 * the others. Each of the others reads the phase before it arrives, and waits until the phase differs from that value.
 * The acquire-release additions to the counter form one chain. So the last member sees all that the others did, and its
 * release of the phase hands that on. No member can arrive at the next barrier before the phase is raised, so the reset
 * is not lost.
 *
 * Tasks: members run them while they wait. Once all have arrived, they still run tasks until those of the phase are
 * complete (tasks/wait.c). */
#include "team/sync/barrier.h"

#include <limits.h>

#include "exec/flat/dock.h"
#include "exec/loop/park.h"
#include "exec/thread/grain.h"
#include "exec/thread/worker.h"
#include "sched/in_force.h"
#include "team/env/features.h"
#include "team/sync/arrivals.h"
#include "team/sync/cancel.h"
#include "team/sync/timed_wait.h"
#include "team/tasks/wait.h"

struct wait {
	struct fg_team *team;
	uint32_t phase;
};

static bool
passed(void *arg)
{
	struct wait *wait = arg;
	return fg_load_acquire(&wait->team->phase) != wait->phase;
}

/* This wait also ends when the team gets a pool of tasks: fg_task_pool_open unparks the phase. Then fg_task_wait_at
 * waits instead. */
static bool
still(void *arg)
{
	struct wait *wait = arg;
	return !passed(arg) && !fg_load_acquire(&wait->team->tasks);
}

static uint32_t
loose_barrier(struct fg_identity *self, struct fg_team *team)
{
	struct wait wait = {team, fg_load_relaxed(&team->phase)};
	if ((uint32_t)fg_add_acq_rel(&team->arrived, 1) + 1 == team->size) {
		fg_store_relaxed(&team->arrived, 0);
		fg_store_release(&team->phase, wait.phase + 1);
		fg_unpark(&team->phase, UINT_MAX);
		struct fg_task_pool *pool = fg_load_acquire(&team->tasks);
		if (pool)
			fg_task_wake_all(pool);
		return wait.phase + 1;
	}
	struct fg_spin spin = FG_SPIN_INIT;
	while (still(&wait))
		if (!fg_spin(&spin))
			fg_park(&team->phase, still, &wait);
	if (!passed(&wait))
		fg_task_wait_at(self, wait.phase + 1, passed, &wait);
	return wait.phase + 1;
}

/* `groups`: a constant where the team is hot. */
static inline void
cross(struct fg_identity *self, struct fg_team *team, bool groups)
{
	uint32_t phase = 0;
	if (__builtin_expect(team->mode == FG_TEAM_DOCKED, 1))
		fg_dock_barrier(self);
	else if (team->mode != FG_TEAM_SERIAL) {
		fg_grain_end(self, &team->births.bubble, true);
		phase = groups ? fg_arrivals_barrier(self, team) : loose_barrier(self, team);
		fg_grain_begin(self, &team->births.bubble);
	}
	struct fg_task_pool *pool = fg_load_acquire(&team->tasks);
	if (__builtin_expect(pool == NULL, 1))
		return;
	fg_grain_drop(self); /* it may run tasks */
	if (team->mode == FG_TEAM_SERIAL)
		fg_task_finish(self);
	else
		fg_task_barrier(self, pool, team->mode == FG_TEAM_DOCKED ? (uint32_t)self->crew_of->crew.phase : phase);
}

/* cancellable: the caller leaves the region if it was cancelled. True: it must. */
static bool
cross_any(struct fg_identity *self, struct fg_team *team, bool cancellable)
{
	if (team->features & FG_FEATURE_CANCEL && team->mode != FG_TEAM_SERIAL) {
		fg_grain_drop(self);
		return fg_cancel_cross(self, team, cancellable);
	}
	cross(self, team, team->features & FG_FEATURE_GROUPS);
	return false;
}

/* Tells a race detector that all before the barrier comes ahead of all after it. Barriers with even and odd phases have
 * different names. Otherwise a member that is early at the next barrier would seem to have been at this one. */
static bool
watched_cross(struct fg_identity *self, struct fg_team *team, bool cancellable)
{
	bool docked = team->mode == FG_TEAM_DOCKED;
	uint32_t phase = docked ? (uint32_t)self->crew_of->crew.phase : fg_load_relaxed(&team->phase);
	const void *name = phase & 1 ? (const void *)&team->phase : &team->arrived;
	fg_happens_before(name);
	bool cancelled = cross_any(self, team, cancellable);
	if (!cancelled)
		fg_happens_after(name);
	return cancelled;
}

static bool
traced_cross(struct fg_identity *self, struct fg_team *team, bool cancellable)
{
	fg_worker_trace(FG_EVENT_wait, self, 0, 0);
	fg_timed_wait(self);
	bool cancelled = cross_any(self, team, cancellable);
	fg_worker_trace(FG_EVENT_go, self, 0, 0);
	fg_timed_wait_end(self);
	return cancelled;
}

__attribute__((noinline)) static bool
cross_with_features(struct fg_identity *self, struct fg_team *team, bool cancellable)
{
	bool ran = fg_clock_stop(self), cancelled;
	if (fg_policies.measures >= FGOMP_MEASURE_COOPERATION && self->entity.time)
		fg_time_add(&self->entity.time->barriers, 1);
	if (fg_watched())
		cancelled = watched_cross(self, team, cancellable);
	else if (__builtin_expect(fg_recording.any, 0))
		cancelled = traced_cross(self, team, cancellable);
	else
		cancelled = cross_any(self, team, cancellable);
	fg_clock_go(self, ran);
	return cancelled;
}

void
fg_team_barrier(struct fg_identity *self)
{
	fg_assert_inside(self);
	struct fg_team *team = self->thread.team;
	if (!team)
		return;
	unsigned features = team->features & FG_FEATURES_BARRIER;
	if (__builtin_expect(features == 0, 1)) {
		cross(self, team, false);
	} else if (features == FG_FEATURE_SUMS && fg_timed_wait_skip(self)) {
		cross(self, team, false);
		fg_timed_wait_skip_end(self);
	} else {
		cross_with_features(self, team, false);
	}
}

bool
fg_team_barrier_cancellable(struct fg_identity *self)
{
	fg_assert_inside(self);
	struct fg_team *team = self->thread.team;
	return team && cross_with_features(self, team, true);
}
