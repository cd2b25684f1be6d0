/* Seats: where the members of outermost teams sit, by the loads that were learnt (floor: team; called by history.c and
 * loads.c). All regions of one size have the same seats, by the sum of their members' loads.
 *
 * When. A team keeps its seats, unless some part of the machine has an eighth too much (fg_layout_is_balanced). It also
 * keeps them while met < patience; a change sets patience = 2 * met. Seats do not matter where each member has a PU of
 * its own and the regions that members meet are less than a quarter of the load.
 *
 * Trial. New seats part members from the data that they have touched. Nobody tells what that costs, so it is tried: of
 * some heavy region one run is timed in the old seats and one in the new ones, but never its first run, because that
 * touches data. If it has not run in the old seats yet, the members go back to them for one run. The new seats stay,
 * unless the run in them took a sixteenth longer. Then patience = 16 * met. So a change that does harm costs one or two
 * runs of a region, and such runs become ever rarer. During a trial the seats change only after 8 * patience.
 *
 * The caller is the root's own thread, inside, without a lock. */
#pragma once
#include "team/hints/history.h"

/* Seats that a root's teams have or had. Each choice has a number of its own. */
struct fg_seats_choice {
	uint32_t number;
	float *loads;  /* by which the policy seats the members; NULL: they count alike */
	unsigned *pus; /* where it has seated them; NULL: not known */
};

struct fg_seats {
	unsigned size;			   /* of the teams with these seats; 0: none */
	struct fg_seats_choice now, other; /* on_trial: the ones that are compared */
	bool on_trial, turned;		   /* turned: the members have gone back once */
	uint32_t choices, patience;	   /* patience: regions that must be met before seats may change */
	uint64_t began;			   /* when the region that is measured began */
};

/* What is known of a root's outermost regions. */
struct fg_load_history_root {
	struct fg_load_history_site site;
	struct fg_seats seats;
};

/* A region of the root is measured: before its fork, and after its join with what was learnt. */
void fg_seats_begin(struct fg_root *root);
void fg_seats_look(struct fg_root *root, struct fg_load_history *learnt);
/* The loads by which the root's outermost teams of that size get their seats, where there is no hint. NULL: there
 * are none. */
const float *fg_seats_loads(const struct fg_root *root, unsigned size);
