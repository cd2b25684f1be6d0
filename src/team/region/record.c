/* Record (floor: team): see record.h. */
#include "team/region/record.h"

#include "exec/thread/facts.h"
#include "exec/thread/root_state.h"
#include "trace/recorder.h"

/* The first region opens the file. */
static void
open_file(struct fg_identity *self)
{
	bool inside = fg_step_out(self);
	fg_trace_open();
	fg_step_in(self, inside);
}

static void
trace_meet(struct fg_identity *self, struct fg_team *team)
{
	uint32_t number = fg_trace_meet(team->fn, self->thread.bubble, self->thread.num);
	team->births.bubble.number = number;
	if (self->root)
		self->root->meets = number;
}

unsigned
fg_record_meet_slow(struct fg_identity *self, struct fg_team *team, unsigned features)
{
	if (__builtin_expect(!fg_load_acquire(&fg_recording.opened), 0))
		open_file(self);
	if (features & FG_FEATURE_SUMS) {
		struct fg_trace_worker worker;
		team->births.bubble.sums = fg_sums_meet(*fg_worker_lane(&worker), (uintptr_t)team->fn,
							team->outer != NULL, &team->skipped);
		if (!team->births.bubble.sums)
			features &= ~FG_FEATURE_SUMS;
	}
	if (features & FG_FEATURE_TRACE)
		trace_meet(self, team);
	return features;
}

void
fg_record_join(struct fg_identity *self, struct fg_team *team)
{
	struct fg_trace_sum *member = self->thread.sums, *outer = team->saved.sums;
	if (member && member != outer)
		fg_sums_forget(member);
	fg_sums_join(team->births.bubble.sums, outer);
	team->births.bubble.sums = NULL;
}

void
fg_record_left(struct fg_identity *self, uint32_t number)
{
	fg_trace(FG_EVENT_join, number, 0, 0, 0);
	fg_recorders_leave(self);
}
