/* Hints: statements of the program about the next team that its thread makes (floor: team; called by region/region.c,
 * boot/ends.c, hints/areas.c, omp/forestgomp.c). A hint serves one team only: the next one of the same pthread. It lies
 * in thread-local memory, which only this pthread touches. No caller holds a lock; fg_hints_forget may be called
 * outside (boot/ends.h). */
#pragma once
#include "base/atomic.h"
#include "team/inside.h"

struct fg_identity;
struct fg_team;

/* True once a load was told, an area was attached, or a policy has counters. Until then a region pays one load. */
extern struct fg_atomic_u32 fg_hints_any __attribute__((visibility("hidden")));

/* What the calling thread has told about the next team that it makes. */
struct fg_hinted_range;
extern __thread struct fg_hints_next {
	float load;
	unsigned n_loads, room_loads;
	float *loads;
	unsigned n_ranges, room_ranges;
	struct fg_hinted_range *ranges; /* areas.c */
} fg_hints_next __attribute__((visibility("hidden")));

/* The caller's next team has this load, in any unit. 0: it is not known. */
FG_OUTSIDE void fg_hints_load(double load);
/* Members 0 to n-1 of that team have these loads. */
FG_OUTSIDE void fg_hints_member_loads(unsigned n, const double *loads);
/* The encountering thread calls this at the fork, inside the runtime. The hints go to the team, and the policy is
 * told. An outermost team of a root passes its loads to the layout, too. */
void fg_hints_take(struct fg_identity *self, struct fg_team *team);
/* The calling pthread ends: drops its hints. */
void fg_hints_forget(void);
