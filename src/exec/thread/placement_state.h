/* Placement state: where a policy wants the members of an outermost team (floor: exec; used by flat, and part of
 * fg_root). flat/placement.h has the functions. Only the root's own thread reads and writes it. */
#pragma once
#include "forest/bubble.h"

/* The PUs of the members of an outermost team, as the policy has chosen them (flat/placement.h). */
struct fg_placement {
	struct fg_bubble team;
	struct fg_habits habits;    /* of the next team. The caller sets them */
	unsigned size;		    /* number of members that it was made for; 0: none yet */
	unsigned *pu;		    /* of each member: its PU, by logical number */
	struct fg_runqueue **range; /* of each member: the level that it has for itself, or NULL */
};
