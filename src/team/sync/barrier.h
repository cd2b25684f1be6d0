/* Barrier: the team's (floor: team; called by gomp and by the constructs that end with one). */
#pragma once
#include "team/inside.h"
#include "team/team.h"

/* Waits until all members of the caller's team have arrived. No-op outside a region. Caller inside the runtime. */
FG_INSIDE void fg_team_barrier(struct fg_identity *self);
