/* ABI: the parallel construct (floor: gomp). Compiled code calls these, as team/inside.h says. team/region/region.h
 * tells the rest. */
#include "base/export.h"
#include "team/region/region.h"

FG_EXPORT void
GOMP_parallel(void (*fn)(void *), void *data, unsigned num_threads, unsigned flags)
{
	fg_region(fn, data, num_threads, flags, NULL, NULL);
}

/* Code of compilers before GCC 4.9 runs the body itself, between GOMP_parallel_start and GOMP_parallel_end. */
FG_EXPORT void
GOMP_parallel_start(void (*fn)(void *), void *data, unsigned num_threads)
{
	fg_region_start(fn, data, num_threads, 0, NULL, NULL);
}

FG_EXPORT void
GOMP_parallel_end(void)
{
	fg_region_end();
}
