/* The functions that other policies take from `steal` (floor: sched; called by compact.c, default.c and policy.c). */
#pragma once
#include "forestgomp/sched.h"

bool fg_steal_idle(void *self, struct fg_runqueue *leaf, unsigned turn, struct fg_claim *claim);
