/* Timing: a few regions of a program that shares its PUs are timed (floor: team; called by region.c). What comes of it
 * is in share/learnt.h. With FGOMP_LEARNT a region begins with what the file knows, the first time that it may be
 * timed. */
#pragma once
#include <stdbool.h>

#include "share/kept.h"
#include "share/learnt.h"

struct fg_identity;
struct fg_team;

/* The name of the region's code is read outside of the runtime. */
void fg_timing_recall_slow(struct fg_identity *self, const void *code, unsigned size);
/* Before the team has members. The caller is inside, and may leave the runtime for a moment. */
static inline void
fg_timing_recall(struct fg_identity *self, const void *code, unsigned size)
{
	if (fg_kept_on && fg_load_relaxed(&fg_learnt.runs) && fg_learnt_is_new(code, size))
		fg_timing_recall_slow(self, code, size);
}
/* The region may be timed, if its thread may dock. Returns the features that it has. */
unsigned fg_timing_begin(const struct fg_team *team, bool may_dock, unsigned features);
