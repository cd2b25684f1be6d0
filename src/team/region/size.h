/* Size: the number of members that a region gets (floor: team; called by region.c and gomp/sections.c).
 *
 * The encountering thread calls, without a lock, inside; fg_region_size is called outside. It takes from the counter of
 * its contention group what fg_group_give gives back:
 *
 *     team->group_threads != NULL => the team has added group_added to that counter */
#pragma once
#include "team/inside.h"
#include "team/places/procs.h"
#include "team/team.h"

static inline unsigned
fg_region_size_for(struct fg_identity *self, unsigned num_threads)
{
	const struct fg_icv *icv = self->thread.icv ? self->thread.icv : &fg_env.icv;
	const struct fg_team *outer = self->thread.team;
	unsigned size = num_threads ? num_threads : icv->nthreads;
	if (!size)
		size = fg_env_nthreads(self);
	if (size == 1 || (outer && outer->active_level >= icv->max_active_levels) || icv->max_active_levels == 0)
		return 1;
	if (icv->dynamic) {
		unsigned limit = fg_icv_dynamic_limit();
		if (size > limit)
			size = limit;
	}
	return size;
}

/* The number of members that a region would get now. */
FG_OUTSIDE unsigned fg_region_size(struct fg_identity *self, unsigned num_threads);

/* Takes up to `wanted` threads out of the contention group's limit. The caller is one of them. */
unsigned fg_group_take(struct fg_team *team, const struct fg_team *outer, const struct fg_icv *icv, unsigned wanted);
/* The region is over: gives the threads back. */
static inline void
fg_group_give(struct fg_team *team)
{
	if (team->group_threads)
		fg_add_relaxed(team->group_threads, -team->group_added);
	team->group_threads = NULL;
}
