/* The team's barrier (floor: team; called by gomp/barrier.c, and by the files of share). barrier.c has its invariants.
 * The caller is a member, without a lock. It may run tasks here, and return on another kernel thread. */
#pragma once
#include "team/inside.h"
#include "team/team.h"

/* Waits until all members of the caller's team have arrived. It does nothing outside a region. In a cancelled region
 * it does not wait for members that have left (cancel.c). */
FG_INSIDE void fg_team_barrier(struct fg_identity *self);
/* The same. True: the region was cancelled, and the caller must leave it. It need not have waited. */
FG_INSIDE bool fg_team_barrier_cancellable(struct fg_identity *self);
