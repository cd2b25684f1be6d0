/* Untold: thieves take what belongs to teams of which no data are known, whatever the node (floor: sched; called by
 * memory.c, from the policy's `idle`). */
#pragma once
#include "forestgomp/sched.h"

/* Nearest first. false: nothing was found. */
bool fg_untold_take(const void *self, struct fg_runqueue *leaf, unsigned turn, struct fg_claim *claim);
