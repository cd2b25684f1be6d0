/* Arrivals: the members of a large loose team, counted by groups at their barriers (floor: team; made by
 * region/region.c, used by barrier.c, cancel.c and stuck).
 *
 * At one counter, all members of a team wait for its cache line, one after the other. Here each eight members that
 * follow each other have a counter, because members that are dealt in order run near each other. arrivals.c has the
 * invariants. The primary thread prepares, before the fork, inside and without a lock. A member waits as in
 * barrier.h. */
#pragma once
#include "team/inside.h"
#include "team/team.h"

#define FG_ARRIVALS_SMALL 16 /* a team of so many members has one counter */

/* The members that wait read `phase`. So it has lines of its own. */
struct fg_arrivals_group {
	_Alignas(128) struct fg_atomic_u64 arrived;
	_Alignas(128) struct fg_atomic_u32 phase; /* the team's, or that before while the last member tells it */
};

struct fg_arrivals {
	uint64_t version; /* the team's for which the groups were made; 0: none */
	unsigned room, n; /* groups: that fit, and that the team has */
	struct fg_arrivals_group group[];
};

/* Gives FG_FEATURE_GROUPS to a team before its members are born. Without memory for groups, the team keeps one
 * counter. */
void fg_arrivals_prepare(struct fg_team *team);
/* The barrier of a team with FG_FEATURE_GROUPS. Returns the number of the phase that has begun. */
FG_INSIDE uint32_t fg_arrivals_barrier(struct fg_identity *self, struct fg_team *team);

/* For any loose or kernel team (cancel.c). The caller arrives at the barrier, and does not wait. True: it is the last,
 * and the next phase has begun. stays: it is counted in team->stayed. */
FG_INSIDE bool fg_arrivals_come(struct fg_identity *self, struct fg_team *team, bool stays);
/* The word that tells the caller of the next phase, before and while it waits. */
const struct fg_atomic_u32 *fg_arrivals_phase(const struct fg_identity *self, const struct fg_team *team);
/* Wakes the members that wait. They park at team->phase, or wait for tasks. */
void fg_arrivals_wake(struct fg_team *team);
