/* Attraction: how many bytes of each entity's data lie on each NUMA node (floor: sched; called by memory.c). The sums
 * of a whole team are made in one look at the areas, before any lock is taken. The caller holds no lock. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "forestgomp/sched.h"

struct fg_attraction {
	unsigned n_nodes;
	size_t *bytes; /* [entity * n_nodes + node] */
};

/* Entities in the caller's hand. A member's sum has its own areas, and its share of those of the whole team. A bubble's
 * has all areas of its kin. NULL as `bytes`: nothing is known of any, or there is no memory. */
struct fg_attraction fg_attraction_of(struct fg_entity *const *entities, unsigned n);
/* The same of members of teams in flight, which may have ended meanwhile: they are told by the name under which the
 * areas of their team are attached, their number, and the size of the team. */
struct fg_member_data {
	const void *team;
	unsigned number, size;
};
struct fg_attraction fg_attraction_of_members(const struct fg_member_data *members, unsigned n);
void fg_attraction_free(struct fg_attraction *attraction);
static inline const size_t *
fg_attraction_at(const struct fg_attraction *attraction, unsigned entity)
{
	return attraction->bytes + (size_t)entity * attraction->n_nodes;
}
