/* The functions that other policies take from `steal` (floor: sched). */
#pragma once
#include "forestgomp/sched.h"

bool fg_steal_idle(void *self, struct fg_runqueue *leaf, unsigned turn, struct fg_claim *claim);
