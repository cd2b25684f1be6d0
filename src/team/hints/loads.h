/* Hints: what the program tells about the next team that its thread makes (floor: team; called by region/region.c, include/forestgomp.h). */
#pragma once
#include "base/atomic.h"
#include "team/inside.h"

struct fg_identity;
struct fg_team;

/* A hint was ever given, or a policy has counters: until then a region pays one load. */
extern struct fg_atomic_u32 fg_hints_any;

FG_OUTSIDE void fg_hints_load(double load);
FG_OUTSIDE void fg_hints_member_loads(unsigned n, const double *loads);
/* The new team gets what was told for it, or nothing. */
void fg_hints_take(struct fg_identity *self, struct fg_team *team);
/* The calling thread ends. */
void fg_hints_forget(void);
