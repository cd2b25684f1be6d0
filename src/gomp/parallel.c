/* ABI: the parallel construct (floor: gomp). */
#include "gomp/abi.h"
#include "team/region/region.h"
#include "team/team.h"

FG_EXPORT void
GOMP_parallel(void (*fn)(void *), void *data, unsigned num_threads, unsigned flags)
{
	fg_region(fn, data, num_threads, flags, NULL, NULL);
}

/* Before GCC 4.9 the caller runs the body itself. */
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
