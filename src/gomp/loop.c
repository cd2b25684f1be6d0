/* ABI: worksharing loops over long, and the ends of all loops (floor: gomp). */
#define WORD long
#define NAME(rest) GOMP_loop_##rest
#define BOUNDS long start, long end, long step
#define IS_SIGNED true
#define UP (step > 0)
#include "gomp/loop_template.h"

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
