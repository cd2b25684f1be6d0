/* Idling: a policy is told that a PU has been idle for long (floor: exec; called by chores.c, on the worker itself).
 * Costs nothing where no policy asks: the callers look at fg_policies.wants first.
 *
 * A PU is idle from the first turn of a spinning wait until its worker runs something, asleep or not. So the worker
 * sleeps no longer than until its policy must be told. The caller is inside, without a lock, and in no handler. Only
 * `idling` of its worker is written. */
#pragma once
#include "exec/thread/parts_state.h"

/* The worker, which sits at this leaf, begins to wait. */
void fg_idling_begin(struct fg_idle_span *idling, struct fg_runqueue *leaf, uint64_t now);
/* Tells the policy, if it is time. The worker holds no lock. */
void fg_idling_look(struct fg_idle_span *idling, struct fg_runqueue *leaf, uint64_t now);
/* Nanoseconds until that time; 0: there is nothing to tell. */
uint64_t fg_idling_left(const struct fg_idle_span *idling, uint64_t now);
