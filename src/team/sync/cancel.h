/* Cancellation (floor: team; called by gomp, barrier.c and region). Nothing happens here unless cancel-var is true.
 * Then all regions have FG_FEATURE_CANCEL. Callers are inside, without a lock and in no signal handler. A member that
 * crosses a barrier runs tasks, and may return on another kernel thread. */
#pragma once
#include "team/inside.h"
#include "team/tasks/pool.h"
#include "team/team.h"

/* Kinds, as in GOMP_cancel. */
enum fg_cancel_kind { FG_CANCEL_PARALLEL = 1, FG_CANCEL_LOOP = 2, FG_CANCEL_SECTIONS = 4, FG_CANCEL_TASKGROUP = 8 };

/* The cancel construct and the cancellation point. True: the caller must leave the construct. */
FG_INSIDE bool fg_cancel(struct fg_identity *self, int kind);
FG_INSIDE bool fg_cancel_point(struct fg_identity *self, int kind);

/* The barrier of a team of several members. True: the region was cancelled, and the caller must leave it (only where
 * `cancellable`). */
FG_INSIDE bool fg_cancel_cross(struct fg_identity *self, struct fg_team *team, bool cancellable);
/* The caller is about to fork the team, whose state is saved already. */
void fg_cancel_begin(struct fg_identity *self, struct fg_team *team);
/* The caller has ended its part of the region. It waits for nothing but the members of its own crew. */
FG_INSIDE void fg_cancel_end(struct fg_identity *self, struct fg_team *team);
