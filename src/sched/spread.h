/* The function that other policies take from `spread` (floor: sched; called by compact.c). */
#pragma once
#include "forestgomp/sched.h"

/* The smallest level, from the leaf upwards, that has a PU for each member. */
struct fg_runqueue *fg_spread_born(void *self, struct fg_bubble *bubble, struct fg_runqueue *range,
				   struct fg_runqueue *leaf);
