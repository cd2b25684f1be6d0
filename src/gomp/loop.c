/* ABI: worksharing loops over long, and the ends of all worksharing loops (floor: gomp). Compiled code calls these, as
 * team/inside.h says. team/share/loop.h and workshare.h have the invariants. */
#define WORD long
#define BOUNDS long start, long end, long step
#define IS_SIGNED true
#define UP (step > 0)
#include "gomp/loop_template.h"

NEXT(GOMP_loop_dynamic_next)
NEXT_ALIAS(GOMP_loop_static_next, GOMP_loop_dynamic_next)
NEXT_ALIAS(GOMP_loop_guided_next, GOMP_loop_dynamic_next)
NEXT_ALIAS(GOMP_loop_runtime_next, GOMP_loop_dynamic_next)
NEXT_ALIAS(GOMP_loop_nonmonotonic_dynamic_next, GOMP_loop_dynamic_next)
NEXT_ALIAS(GOMP_loop_nonmonotonic_guided_next, GOMP_loop_dynamic_next)
NEXT_ALIAS(GOMP_loop_nonmonotonic_runtime_next, GOMP_loop_dynamic_next)
NEXT_ALIAS(GOMP_loop_maybe_nonmonotonic_runtime_next, GOMP_loop_dynamic_next)

NEXT_ORDERED(GOMP_loop_ordered_dynamic_next)
NEXT_ALIAS(GOMP_loop_ordered_static_next, GOMP_loop_ordered_dynamic_next)
NEXT_ALIAS(GOMP_loop_ordered_guided_next, GOMP_loop_ordered_dynamic_next)
NEXT_ALIAS(GOMP_loop_ordered_runtime_next, GOMP_loop_ordered_dynamic_next)

START(GOMP_loop_static_start, FG_STATIC)
START(GOMP_loop_dynamic_start, FG_DYNAMIC | FG_MONOTONIC)
START(GOMP_loop_guided_start, FG_GUIDED | FG_MONOTONIC)
START(GOMP_loop_nonmonotonic_dynamic_start, FG_DYNAMIC)
START(GOMP_loop_nonmonotonic_guided_start, FG_GUIDED)
START_ICV(GOMP_loop_runtime_start, FG_RUNTIME | FG_MONOTONIC)
START_ICV(GOMP_loop_nonmonotonic_runtime_start, FG_RUNTIME)
START_ICV(GOMP_loop_maybe_nonmonotonic_runtime_start, FG_RUNTIME)
START_FULL(GOMP_loop_start, false)

START_ORDERED(GOMP_loop_ordered_static_start, FG_STATIC)
START_ORDERED(GOMP_loop_ordered_dynamic_start, FG_DYNAMIC | FG_MONOTONIC)
START_ORDERED(GOMP_loop_ordered_guided_start, FG_GUIDED | FG_MONOTONIC)
START_ORDERED_ICV(GOMP_loop_ordered_runtime_start, FG_RUNTIME | FG_MONOTONIC)
START_FULL(GOMP_loop_ordered_start, true)

START_DOACROSS_FULL(GOMP_loop_doacross_start)
START_DOACROSS(GOMP_loop_doacross_static_start, GOMP_loop_doacross_start, FG_STATIC)
START_DOACROSS(GOMP_loop_doacross_dynamic_start, GOMP_loop_doacross_start, FG_DYNAMIC | FG_MONOTONIC)
START_DOACROSS(GOMP_loop_doacross_guided_start, GOMP_loop_doacross_start, FG_GUIDED | FG_MONOTONIC)
START_DOACROSS_ICV(GOMP_loop_doacross_runtime_start, GOMP_loop_doacross_start, FG_RUNTIME | FG_MONOTONIC)

FG_EXPORT void
GOMP_loop_end(void)
{
	fg_workshare_leave_barrier(fg_self_or_root());
}

FG_EXPORT void
GOMP_loop_end_nowait(void)
{
	fg_workshare_leave(fg_self_or_root());
}

FG_EXPORT bool
GOMP_loop_end_cancel(void)
{
	return fg_workshare_leave_cancel(fg_self_or_root());
}
