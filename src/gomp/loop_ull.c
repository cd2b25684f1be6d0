/* ABI: worksharing loops over unsigned long long (floor: gomp). Compiled code calls these, as team/inside.h says.
 * team/share/loop.h has the invariants. */
#define WORD unsigned long long
#define BOUNDS bool up, unsigned long long start, unsigned long long end, unsigned long long step
#define IS_SIGNED false
#define UP up
#include "gomp/loop_template.h"

NEXT(GOMP_loop_ull_dynamic_next)
NEXT_ALIAS(GOMP_loop_ull_static_next, GOMP_loop_ull_dynamic_next)
NEXT_ALIAS(GOMP_loop_ull_guided_next, GOMP_loop_ull_dynamic_next)
NEXT_ALIAS(GOMP_loop_ull_runtime_next, GOMP_loop_ull_dynamic_next)
NEXT_ALIAS(GOMP_loop_ull_nonmonotonic_dynamic_next, GOMP_loop_ull_dynamic_next)
NEXT_ALIAS(GOMP_loop_ull_nonmonotonic_guided_next, GOMP_loop_ull_dynamic_next)
NEXT_ALIAS(GOMP_loop_ull_nonmonotonic_runtime_next, GOMP_loop_ull_dynamic_next)
NEXT_ALIAS(GOMP_loop_ull_maybe_nonmonotonic_runtime_next, GOMP_loop_ull_dynamic_next)

NEXT_ORDERED(GOMP_loop_ull_ordered_dynamic_next)
NEXT_ALIAS(GOMP_loop_ull_ordered_static_next, GOMP_loop_ull_ordered_dynamic_next)
NEXT_ALIAS(GOMP_loop_ull_ordered_guided_next, GOMP_loop_ull_ordered_dynamic_next)
NEXT_ALIAS(GOMP_loop_ull_ordered_runtime_next, GOMP_loop_ull_ordered_dynamic_next)

START(GOMP_loop_ull_static_start, FG_STATIC)
START(GOMP_loop_ull_dynamic_start, FG_DYNAMIC | FG_MONOTONIC)
START(GOMP_loop_ull_guided_start, FG_GUIDED | FG_MONOTONIC)
START(GOMP_loop_ull_nonmonotonic_dynamic_start, FG_DYNAMIC)
START(GOMP_loop_ull_nonmonotonic_guided_start, FG_GUIDED)
START_ICV(GOMP_loop_ull_runtime_start, FG_RUNTIME | FG_MONOTONIC)
START_ICV(GOMP_loop_ull_nonmonotonic_runtime_start, FG_RUNTIME)
START_ICV(GOMP_loop_ull_maybe_nonmonotonic_runtime_start, FG_RUNTIME)
START_FULL(GOMP_loop_ull_start, false)

START_ORDERED(GOMP_loop_ull_ordered_static_start, FG_STATIC)
START_ORDERED(GOMP_loop_ull_ordered_dynamic_start, FG_DYNAMIC | FG_MONOTONIC)
START_ORDERED(GOMP_loop_ull_ordered_guided_start, FG_GUIDED | FG_MONOTONIC)
START_ORDERED_ICV(GOMP_loop_ull_ordered_runtime_start, FG_RUNTIME | FG_MONOTONIC)
START_FULL(GOMP_loop_ull_ordered_start, true)

START_DOACROSS_FULL(GOMP_loop_ull_doacross_start)
START_DOACROSS(GOMP_loop_ull_doacross_static_start, GOMP_loop_ull_doacross_start, FG_STATIC)
START_DOACROSS(GOMP_loop_ull_doacross_dynamic_start, GOMP_loop_ull_doacross_start, FG_DYNAMIC | FG_MONOTONIC)
START_DOACROSS(GOMP_loop_ull_doacross_guided_start, GOMP_loop_ull_doacross_start, FG_GUIDED | FG_MONOTONIC)
START_DOACROSS_ICV(GOMP_loop_ull_doacross_runtime_start, GOMP_loop_ull_doacross_start, FG_RUNTIME | FG_MONOTONIC)
