/* Record: what a trace and the sums learn of a call of a region (floor: team; called by region.c).
 *
 * The encountering thread calls these inside the runtime, without a lock. It meets before the fork and joins after all
 * members have ended. The first region opens the file: for that the caller steps out, and may allocate and wait.
 *
 * Here change only `skipped` of the team, `sums` and `number` of its bubble, the caller's thread.sums, and `meets` of
 * a root. */
#pragma once
#include "exec/thread/identity.h"
#include "team/env/features.h"
#include "team/team.h"

unsigned fg_record_meet_slow(struct fg_identity *self, struct fg_team *team, unsigned features);
/* A timed call is left. */
void fg_record_join(struct fg_identity *self, struct fg_team *team);
/* The caller has left the call of that number, which is traced, and is the member that it was. */
void fg_record_left(struct fg_identity *self, uint32_t number);

/* Returns the features without FG_FEATURE_SUMS if this call is not timed. Then births.bubble.sums is NULL. `lane`: of
 * the caller's worker. */
static inline unsigned
fg_record_meet(struct fg_identity *self, struct fg_team *team, unsigned features, struct fg_trace_lane *lane)
{
	STORE_CHANGE(self->thread.sums, NULL); /* `saved` has it */
	if (features & FG_FEATURE_SUMS && fg_sums_skip(&team->skipped, lane, (uintptr_t)team->fn)) {
		features &= ~FG_FEATURE_SUMS;
		if (!(features & FG_FEATURE_TRACE))
			return features;
	}
	return fg_record_meet_slow(self, team, features);
}
