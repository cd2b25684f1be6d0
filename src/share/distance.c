/* Distance (floor: share): see distance.h. */
#include "share/distance.h"

#include <assert.h>

#define FACTOR_BITS 12 /* levels above this one have its factor */

void
fg_distance_check(struct fg_distances *distances)
{
	const struct fg_machine *machine = distances->machine;
	bool fits = distances->links && distances->n_nodes <= FG_DISTANCE_NODES;
	for (unsigned i = 0; fits && i < machine->n_pus; i++)
		fits = machine->pus[i]->numa_node < distances->n_nodes;
	if (!fits)
		distances->links = NULL;
}

static unsigned
links_between(const struct fg_distances *distances, const struct fg_level *a, const struct fg_level *b)
{
	unsigned links = distances->links ? distances->links[a->numa_node * distances->n_nodes + b->numa_node] : 1;
	return links ? links : 1;
}

/* PUs may lie at different depths, where some are offline. So the height of a level is counted from the deepest PU. */
static unsigned
between(const struct fg_distances *distances, const struct fg_level *a, const struct fg_level *b)
{
	const struct fg_level *a_up = a, *b_up = b;
	while (a_up != b_up)
		if (a_up->depth >= b_up->depth)
			a_up = a_up->parent;
		else
			b_up = b_up->parent;
	if (a_up == a)
		return 0;
	unsigned height = distances->machine->max_depth - a_up->depth;
	unsigned factor = 1u << (height <= FACTOR_BITS ? height - 1 : FACTOR_BITS);
	return factor - 1 + factor * links_between(distances, a, b);
}

unsigned
fg_distance(const struct fg_distances *distances, unsigned pu_a, unsigned pu_b)
{
	assert(pu_a < distances->machine->n_pus && pu_b < distances->machine->n_pus);
	return between(distances, distances->machine->pus[pu_a], distances->machine->pus[pu_b]);
}

unsigned
fg_distance_to(const struct fg_distances *distances, unsigned pu, const struct fg_level *level)
{
	return fg_distance(distances, pu, level->first_pu);
}

bool
fg_distance_is_even(const struct fg_distances *distances, const struct fg_level *level)
{
	return !distances->links || level->numa_node != FG_NO_INDEX;
}
