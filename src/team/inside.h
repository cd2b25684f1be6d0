/* Inside: where gomp may call a function of team (floor: team; scripts/check_inside.py finds a function without a
 * mark).
 *
 * A thread is inside the runtime between fg_enter and fg_leave (exec/thread/identity.h). Otherwise it is outside.
 * Compiled code calls the entry points of gomp on any pthread, outside the runtime, in no signal handler and so without
 * a lock of the runtime. Unless a function without a mark says more, a member calls it, or the thread that meets the
 * region, inside. Its caller holds no lock either, and is not in the preemption handler (docs/design.md, "Who
 * calls"). */
#pragma once
#include "base/log.h"

#define FG_INSIDE   /* the caller is inside */
#define FG_OUTSIDE  /* the caller is outside: the function enters by itself if it must */
#define FG_ANYWHERE /* the caller is inside or outside */

/* Builds with assertions check the first two marks where the function begins. `self` is NULL in a pthread that the
 * runtime has not met. */
#ifndef NDEBUG
#define FG_IS_INSIDE(self) fg_own_load_relaxed(&(self)->in_runtime)
#define fg_assert_inside(self)                                                                                         \
	((self) && !FG_IS_INSIDE(self) ? fg_fatal("%s is called outside the runtime", __func__) : (void)0)
#define fg_assert_outside(self)                                                                                        \
	((self) && FG_IS_INSIDE(self) ? fg_fatal("%s is called inside the runtime", __func__) : (void)0)
#else
#define fg_assert_inside(self) ((void)0)
#define fg_assert_outside(self) ((void)0)
#endif
