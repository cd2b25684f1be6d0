/* Placement: where the members of an outermost team sit, as the policy has it (floor: exec; called by layout.c).
 *
 * The team is a bubble that the policy places on a copy of the machine's tree, in which nothing else is. */
#pragma once
#include "exec/thread/root.h"

/* loads: of the members, or NULL. areas: as in forest/bubble.h. false: out of memory, or the policy does not do it;
 * there is no plan then. */
bool fg_placement_make(struct fg_placement *plan, unsigned size, const float *loads, const void *areas);
void fg_placement_free(struct fg_placement *plan);
