/* Member (floor: team): see member.h. */
#include "team/region/member.h"

#include "base/log.h"
#include "exec/body/binding.h"
#include "exec/flat/dock.h"
#include "exec/flat/dock_fn.h"
#include "exec/loop/park.h"
#include "exec/thread/worker.h"
#include "forest/live.h"
#include "memory/haul.h"
#include "sched/in_force.h"
#include "sched/time_calls.h"
#include "team/hints/areas.h"
#include "team/hints/history.h"
#include "team/places/affinity_format.h"
#include "team/places/bind.h"
#include "team/sync/cancel.h"
#include "trace/recorder.h"

/* The caller is a member of this bubble, for the trace. */
static void
trace_again(struct fg_identity *self, const struct fg_team *team)
{
	self->thread.bubble = team->births.bubble.number;
	if (fg_recording.trace)
		fg_recorders_leave(self);
	if (fg_recording.sums)
		self->sums_over = fg_sums_again(team->births.bubble.sums, self->sums_over);
}

void
fg_member_trace_begin(struct fg_identity *self, const struct fg_team *team, bool met)
{
	self->thread.bubble = team->births.bubble.number;
	fg_worker_trace(FG_EVENT_begin, self, 0, 0);
	if (fg_recording.trace)
		fg_recorders_leave(self);
	if (!fg_recording.sums)
		return;
	self->thread.skip = 0; /* the thread that met the region may wait at a barrier around */
	self->thread.sums = fg_sums_begin(team->births.bubble.sums, met ? NULL : self->sums_over);
	if (!met)
		self->sums_over = NULL;
}

static void
member_place(struct fg_identity *self, struct fg_team *team, unsigned num)
{
	if (fg_place_list.count != 0) {
		const struct fg_place_slot *slot = &team->places[num];
		self->place = (team->mode == FG_TEAM_DOCKED ? slot->bound : slot->place) + 1;
		fg_binding_follow(self);
	}
	if (fg_clock_on)
		fg_load_history_member(self, team, num);
}

void
fg_team_member(struct fg_identity *self, struct fg_team *team, unsigned num)
{
	fg_member_begin(self, team, num);
	if (!team->features)
		return;
	member_place(self, team, num);
	fg_clock_stop(self);
	if (team->features & (FG_FEATURE_TRACE | FG_FEATURE_SUMS))
		trace_again(self, team);
}

__attribute__((noinline)) void
fg_member_display(struct fg_identity *self)
{
	fg_leave_unwatched(self);
	fg_affinity_display(NULL);
	fg_enter_unwatched(self);
}

void
fg_member_tell(struct fg_identity *self, struct fg_team *team)
{
	if (team->size == 1)
		return;
	if (__builtin_expect(fg_load_relaxed(&fg_hauls_left) != 0, 0) && team->births.bubble.areas)
		fg_areas_haul(team, self->thread.num);
	if (!(fg_policies.wants & FG_WANTS_BEGUN))
		return;
	fg_policy_begun(&team->births.bubble, self->thread.num, fg_worker_leaf(self->worker));
	if (fg_load_relaxed(&self->entity.sent))
		fg_yield();
}

static __attribute__((noinline)) void
begin_features(struct fg_identity *self, struct fg_team *team, unsigned num)
{
	member_place(self, team, num);
	if (team->features & (FG_FEATURE_TRACE | FG_FEATURE_SUMS))
		fg_member_trace_begin(self, team, false);
	if (team->features & FG_FEATURE_DISPLAY)
		fg_member_display(self);
	fg_member_tell(self, team);
}

/* The primary thread keeps its record until the join, which comes next. */
static void
sums_end(struct fg_identity *self, struct fg_team *team)
{
	fg_sums_end(self->thread.sums, team->births.bubble.sums);
	if (team->primary == self)
		return;
	self->sums_over = self->thread.sums;
	self->thread.sums = NULL;
}

void
fg_member_end_features(struct fg_identity *self)
{
	struct fg_team *team = self->thread.team;
	if (team->size > 1) { /* the thread of a team of one goes on as the member that it was */
		fg_clock_stop(self);
		if (fg_policies.wants & FG_WANTS_FINISHED)
			fg_policy_finished(&team->births.bubble, self->thread.num, fg_worker_leaf(self->worker));
	}
	fg_worker_trace(FG_EVENT_end, self, 0, 0);
	if (__builtin_expect(fg_recording.trace, 0))
		fg_recorders_leave(NULL);
	if (__builtin_expect(fg_recording.sums, 0) && self->thread.sums)
		sums_end(self, team);
	if (team->features & FG_FEATURE_CANCEL)
		fg_cancel_end(self, team);
}

/* Inlined, because a nested member that finds out here that it is not docked costs a tenth more. */
static inline __attribute__((always_inline)) void
member_run_as(bool docked, struct fg_team *team, unsigned num)
{
	struct fg_identity *self = fg_self();
	fg_member_begin(self, team, num);
	if (__builtin_expect(fg_policies.wants & FG_WANTS_TREE, 0) && docked)
		fg_live_member_begin(&self->live, &self->entity, &team->births.bubble, num);
	if (__builtin_expect(team->features, 0))
		begin_features(self, team, num);
	void (*fn)(void *) = docked ? fg_dock_fn(self) : team->fn;
	void *data = docked ? fg_dock_data(self) : team->data;
	fg_leave_unwatched(self);
	fn(data);
	fg_enter_unwatched(self);
	if (__builtin_expect(team->mode == FG_TEAM_SERIAL, 0))
		fg_fatal("The child of a fork in a parallel region cannot go on past the region's end: let it call "
			 "_exit");
	fg_member_end(self, team, docked);
	if (__builtin_expect(fg_policies.wants & FG_WANTS_TREE, 0) && docked) {
		fg_live_member_end(&self->live, &self->entity);
		fg_store_relaxed(&self->entity.range, NULL); /* a policy may have given it another one */
	}
}

void
fg_member_run_docked(void *job, unsigned num)
{
	member_run_as(true, job, num);
}

void
fg_member_run(void *job, unsigned num)
{
	member_run_as(false, job, num);
}

void
fg_member_run_kernel(void *job, unsigned num)
{
	struct fg_team *team = job;
	struct fg_identity *self = fg_self();
	fg_happens_after(&team->fn);
	if (fg_watched())
		fg_watch(self, true);
	if (fg_policies.wants & FG_WANTS_TREE)
		fg_live_member_begin(&self->live, &self->entity, &team->births.bubble, num);
	fg_member_run(team, num);
	if (fg_policies.wants & FG_WANTS_TREE)
		fg_live_member_end(&self->live, &self->entity);
	if (fg_watched())
		fg_watch(self, false);
	fg_happens_before(&team->data);
}
