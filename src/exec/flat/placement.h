/* Placement: the PUs of the members of an outermost team, as the policy chooses them (floor: exec; called by layout.c).
 *
 * The team is a bubble. The policy places it on a copy of a part of the machine's tree, in which nothing else lies.
 *
 *     plan->size != 0 => pu[k] is the PU of member k, below the part, for each k < size
 *
 * The root's own thread calls, while it owns its dock, and holds no lock. fg_placement_make may read the machine's
 * levels, so its caller is outside; the policy is called inside. */
#pragma once
#include "exec/thread/placement_state.h"

/* part: the level below which the PUs lie. loads: of the members, or NULL. areas: as in forest/bubble.h. number: of the
 * bubble, in a trace. False: out of memory, or the policy makes no plan. Then there is none. */
bool fg_placement_make(struct fg_placement *plan, struct fg_runqueue *part, unsigned size, const float *loads,
		       const void *areas, uint32_t number);
/* Makes room for n PUs and ranges. False: out of memory; those that were there stay. */
bool fg_placement_room(unsigned **pu, struct fg_runqueue ***range, unsigned n);
