/* Cut: barriers of a flat team that end early, because members leave the region there (floor: exec; called by
 * team/sync/cancel.c). The caller is a member inside the runtime, without a lock. */
#pragma once
#include "exec/thread/identity.h"

/* Barrier of all members of the docked team, as fg_dock_barrier. But the caller goes on early if *cut is the number of
 * this phase. The word is 0 at first, and is stored once in a region. The member that stores it calls fg_cut_wake.
 * stays: the caller does not leave the region then. */
void fg_cut_barrier(struct fg_identity *self, const struct fg_atomic_u64 *cut, bool stays);
/* The number of the phase that the next barrier of the caller ends. */
uint64_t fg_cut_next(const struct fg_identity *self);
/* The caller arrives at its next barrier, and waits for its own crew only. */
void fg_cut_pass(struct fg_identity *self);
/* Wakes the workers of the team, because the word has the number of the phase at which they wait. */
void fg_cut_wake(struct fg_identity *self);
/* The caller stays, at the barrier that was cut. Returns the number of members that do. 0: not all members have come
 * to the barrier, or left the region. */
unsigned fg_cut_stayers(const struct fg_identity *self);
