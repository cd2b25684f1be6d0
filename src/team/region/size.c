/* Size (floor: team): see size.h. */
#include "team/region/size.h"

unsigned
fg_region_size(struct fg_identity *self, unsigned num_threads)
{
	fg_assert_outside(self);
	return fg_region_size_for(self, num_threads);
}

unsigned
fg_group_take(struct fg_team *team, const struct fg_team *outer, const struct fg_icv *icv, unsigned wanted)
{
	if (!outer || !outer->group_threads)
		fg_store_relaxed(&team->group_count, 1);
	team->group_threads = outer && outer->group_threads ? outer->group_threads : &team->group_count;
	uint32_t busy = fg_load_relaxed(team->group_threads);
	unsigned size;
	do {
		unsigned left = icv->thread_limit > busy ? icv->thread_limit - busy : 0;
		size = wanted - 1 < left ? wanted : left + 1;
	} while (!fg_cas_relaxed(team->group_threads, &busy, busy + size - 1));
	team->group_added = size - 1;
	return size;
}
