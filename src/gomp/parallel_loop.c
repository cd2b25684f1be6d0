/* ABI: regions combined with a loop over long: the loop is set up before the members start (floor: gomp). */
#include "gomp/loop_abi.h"
#include "team/region/region.h"

static void
prepare(struct fg_team *team, void *loop)
{
	fg_loop_set_up(fg_workshare_combined(team), loop);
}

/* The schedule is resolved here, in the thread that meets the construct. */
static struct fg_loop
resolved(long start, long end, long step, unsigned schedule, long chunk)
{
	struct fg_loop loop =
		loop_of(true, step > 0, (uint64_t)start, (uint64_t)end, (uint64_t)step, schedule, (uint64_t)chunk);
	fg_loop_resolve(&loop);
	return loop;
}

#define PARALLEL(name, schedule)                                                                                       \
	FG_EXPORT void GOMP_parallel_loop_##name(void (*fn)(void *), void *data, unsigned num_threads, long start,     \
						 long end, long step, long chunk, unsigned flags)                      \
	{                                                                                                              \
		struct fg_loop loop = resolved(start, end, step, schedule, chunk);                                     \
		fg_region(fn, data, num_threads, flags, prepare, &loop);                                               \
	}
#define PARALLEL_ICV(name, schedule)                                                                                   \
	FG_EXPORT void GOMP_parallel_loop_##name(void (*fn)(void *), void *data, unsigned num_threads, long start,     \
						 long end, long step, unsigned flags)                                  \
	{                                                                                                              \
		struct fg_loop loop = resolved(start, end, step, schedule, 0);                                         \
		fg_region(fn, data, num_threads, flags, prepare, &loop);                                               \
	}
WITH_CHUNK(PARALLEL)
WITH_CHUNK_NONMONOTONIC(PARALLEL)
FROM_ICV(PARALLEL_ICV)
FROM_ICV_NONMONOTONIC(PARALLEL_ICV)

/* Before GCC 4.9: the caller runs the body itself, between start and GOMP_parallel_end. */
#define PARALLEL_START(name, schedule)                                                                                 \
	FG_EXPORT void GOMP_parallel_loop_##name##_start(void (*fn)(void *), void *data, unsigned num_threads,         \
							 long start, long end, long step, long chunk)                  \
	{                                                                                                              \
		struct fg_loop loop = resolved(start, end, step, schedule, chunk);                                     \
		fg_region_start(fn, data, num_threads, 0, prepare, &loop);                                             \
	}
#define PARALLEL_START_ICV(name, schedule)                                                                             \
	FG_EXPORT void GOMP_parallel_loop_##name##_start(void (*fn)(void *), void *data, unsigned num_threads,         \
							 long start, long end, long step)                              \
	{                                                                                                              \
		struct fg_loop loop = resolved(start, end, step, schedule, 0);                                         \
		fg_region_start(fn, data, num_threads, 0, prepare, &loop);                                             \
	}
WITH_CHUNK(PARALLEL_START)
FROM_ICV(PARALLEL_START_ICV)
