/* Hints: statements of the program about the next team that its thread makes (floor: team; called by
 * region/region.c, boot/start.c, omp/forestgomp.c). */
#pragma once
#include "base/atomic.h"
#include "team/inside.h"

struct fg_identity;
struct fg_team;

/* True once a hint was given, or a policy has counters. Until then a region pays one load for it. */
extern struct fg_atomic_u32 fg_hints_any;

FG_OUTSIDE void fg_hints_load(double load);
FG_OUTSIDE void fg_hints_member_loads(unsigned n, const double *loads);
/* The new team gets the hints for it, if there are any. */
void fg_hints_take(struct fg_identity *self, struct fg_team *team);
/* The calling thread ends. */
void fg_hints_forget(void);
