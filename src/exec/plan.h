/* Plan: where the members of an outermost team sit, as the policy has it (floor: exec; called by roster.c).
 *
 * The team is a bubble that the policy places on a copy of the machine's tree, in which nothing else is. */
#pragma once
#include "forest/runqueue.h"

struct fg_plan {
	struct fg_bubble team;
	unsigned size;		    /* members that it was made for; 0: none yet */
	unsigned *pu;		    /* of each member: logical number */
	struct fg_runqueue **range; /* of each member: the level that it has for itself, or NULL */
};

/* loads: of the members, or NULL. areas: as in forest/bubble.h. false: out of memory, or the policy does not do it; there is no plan then. */
bool fg_plan_make(struct fg_plan *plan, unsigned size, const float *loads, const void *areas);
void fg_plan_free(struct fg_plan *plan);
