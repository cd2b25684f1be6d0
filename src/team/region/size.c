/* Size (floor: team): see size.h. */
#include "team/region/size.h"

unsigned
fg_region_size(struct fg_identity *self, unsigned num_threads)
{
	fg_assert_outside(self);
	return fg_region_size_for(self, num_threads);
}

/* The threads of the caller's contention group. NULL: the caller begins one. Teams of one take no threads, and leave
 * their group_threads NULL. */
static struct fg_atomic_u32 *
group_of(const struct fg_team *team, const struct fg_icv *icv)
{
	while (team && team != icv->around_league && !team->group_threads)
		team = team->outer;
	return team && team != icv->around_league ? team->group_threads : NULL;
}

unsigned
fg_group_take(struct fg_team *team, const struct fg_team *outer, const struct fg_icv *icv, unsigned wanted)
{
	team->group_threads = group_of(outer, icv);
	if (!team->group_threads) {
		fg_store_relaxed(&team->group_count, 1);
		team->group_threads = &team->group_count;
	}
	uint32_t busy = fg_load_relaxed(team->group_threads);
	unsigned size;
	do {
		unsigned left = icv->thread_limit > busy ? icv->thread_limit - busy : 0;
		size = wanted - 1 < left ? wanted : left + 1;
	} while (!fg_cas_relaxed(team->group_threads, &busy, busy + size - 1));
	team->group_added = size - 1;
	return size;
}
