/* Distance: how far two PUs of a machine are apart (floor: share; called by choice.c, unit tests and bench).
 *
 * PUs have the machine's own numbers here, in which those of a level lie in a row. These are pure functions: any thread
 * may call them anywhere.
 *
 * The slides of IWOMP 2010 have a matrix with "higher amplification factors for higher levels", and no figure of it.
 * Decided here: the level above the PUs has the factor 1, and each higher level twice that of the one below. The
 * distance is the sum of the factors on the way up to the smallest level that both PUs have in common. Where NUMA nodes
 * are joined by links, that level's factor counts once for each link on the way. So on the machine of the slides two
 * PUs of one node are 1 apart, those of other nodes 3, 5 or 7 by 1, 2 or 3 links.
 *
 * Nothing is stored for pairs of PUs, because 1,024 PUs would need 2 MB: a climb of some levels is as fast as the miss
 * of a cache. */
#pragma once
#include <stdint.h>

#include "machine/machine.h"

#define FG_DISTANCE_NODES 64 /* machines with more have no links here */

struct fg_distances {
	const struct fg_machine *machine;
	const uint8_t *links; /* from node a to node b, by the system's numbers: [a * n_nodes + b]; NULL: not known */
	unsigned n_nodes;
};

/* Any text may be given: links are taken away that do not fit the machine. */
void fg_distance_check(struct fg_distances *distances);
unsigned fg_distance(const struct fg_distances *distances, unsigned pu_a, unsigned pu_b);
/* The same from a PU to the first PU of a level. Where the level lies in one node, and does not contain the PU, all its
 * PUs are as far. */
unsigned fg_distance_to(const struct fg_distances *distances, unsigned pu, const struct fg_level *level);
/* The level lies in one node, or links count nowhere. */
bool fg_distance_is_even(const struct fg_distances *distances, const struct fg_level *level);
