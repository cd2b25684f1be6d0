/* ABI: sections and scopes (floor: gomp). Compiled code calls these, as team/inside.h says. team/share/sections.h and
 * workshare.h have the invariants. */
#include "base/export.h"
#include "exec/roots/self.h"
#include "team/region/region.h"
#include "team/region/size.h"
#include "team/share/sections.h"

FG_EXPORT unsigned
GOMP_sections_start(unsigned count)
{
	return fg_sections_start(fg_self_or_root(), count, NULL, NULL);
}

FG_EXPORT unsigned
GOMP_sections2_start(unsigned count, uintptr_t *reductions, void **memory)
{
	return fg_sections_start(fg_self_or_root(), count, reductions, memory);
}

FG_EXPORT unsigned
GOMP_sections_next(void)
{
	return fg_sections_next(fg_self_or_root());
}

FG_EXPORT void
GOMP_sections_end(void)
{
	fg_workshare_leave_barrier(fg_self_or_root());
}

FG_EXPORT void
GOMP_sections_end_nowait(void)
{
	fg_workshare_leave(fg_self_or_root());
}

FG_EXPORT bool
GOMP_sections_end_cancel(void)
{
	return fg_workshare_leave_cancel(fg_self_or_root());
}

FG_EXPORT void
GOMP_scope_start(uintptr_t *reductions)
{
	fg_scope_start(fg_self_or_root(), reductions);
}

static void
prepare(struct fg_team *team, void *arg)
{
	fg_sections_set_up(fg_workshare_combined(team), *(unsigned *)arg);
}

/* If dyn-var allows a smaller team, the team has no more members than sections. */
static unsigned
members(unsigned num_threads, unsigned count)
{
	if (count == 0 || !fg_icv_current()->dynamic)
		return num_threads;
	return fg_region_size(fg_self_or_root(), num_threads) > count ? count : num_threads;
}

FG_EXPORT void
GOMP_parallel_sections(void (*fn)(void *), void *data, unsigned num_threads, unsigned count, unsigned flags)
{
	fg_region(fn, data, members(num_threads, count), flags, prepare, &count);
}

FG_EXPORT void
GOMP_parallel_sections_start(void (*fn)(void *), void *data, unsigned num_threads, unsigned count)
{
	fg_region_start(fn, data, members(num_threads, count), 0, prepare, &count);
}
