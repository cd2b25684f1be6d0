/* The team's barrier (floor: team; called by gomp/barrier.c, and by the files of share). barrier.c has its invariants.
 * The caller is a member, without a lock. It may run tasks here, and return on another kernel thread. */
#pragma once
#include "team/inside.h"
#include "team/team.h"

/* Waits until all members of the caller's team have arrived. It does nothing outside a region. */
FG_INSIDE void fg_team_barrier(struct fg_identity *self);
