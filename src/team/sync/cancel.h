/* Cancellation (floor: team; called by gomp, barrier.c and share/workshare.c). Without
 * cancel-var the first two do nothing, and nobody calls the third: its phases and those of a plain barrier differ. */
#pragma once
#include "team/inside.h"
#include "team/tasks/pool.h"

/* Kinds, as in GOMP_cancel. */
enum fg_cancel_kind { FG_CANCEL_PARALLEL = 1, FG_CANCEL_LOOP = 2, FG_CANCEL_SECTIONS = 4, FG_CANCEL_TASKGROUP = 8 };

/* The cancel construct and the cancellation point. True: the caller must leave the construct. */
FG_INSIDE bool fg_cancel(struct fg_identity *self, int kind);
FG_INSIDE bool fg_cancel_point(struct fg_identity *self, int kind);

/* The barrier of every team while cancel-var is true: one counter under a lock. True: the region was cancelled, and
 * the caller must leave it (only where `cancellable`). A region's end must not use it, because threads that left do
 * not arrive here. */
FG_INSIDE bool fg_cancel_barrier(struct fg_identity *self, bool cancellable);
