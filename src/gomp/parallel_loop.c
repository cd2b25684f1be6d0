/* ABI: regions combined with a loop over long (floor: gomp). The loop is set up before the members start. Compiled code
 * calls these, as team/inside.h says. `prepare` runs inside, before the fork (team/share/workshare.h). */
#include "gomp/loop_abi.h"
#include "team/region/region.h"

static void
prepare(struct fg_team *team, void *loop)
{
	fg_loop_set_up(fg_workshare_combined(team), loop);
}

/* Resolves the schedule in the encountering thread. */
static struct fg_loop
resolved(long start, long end, long step, unsigned schedule, long chunk)
{
	struct fg_loop loop =
		loop_of(true, step > 0, (uint64_t)start, (uint64_t)end, (uint64_t)step, schedule, (uint64_t)chunk);
	fg_loop_resolve(&loop);
	return loop;
}

#define PARALLEL(name, schedule)                                                                                       \
	FG_EXPORT void name(void (*fn)(void *), void *data, unsigned num_threads, long start, long end, long step,     \
			    long chunk, unsigned flags)                                                                \
	{                                                                                                              \
		struct fg_loop loop = resolved(start, end, step, schedule, chunk);                                     \
		fg_region(fn, data, num_threads, flags, prepare, &loop);                                               \
	}
#define PARALLEL_ICV(name, schedule)                                                                                   \
	FG_EXPORT void name(void (*fn)(void *), void *data, unsigned num_threads, long start, long end, long step,     \
			    unsigned flags)                                                                            \
	{                                                                                                              \
		struct fg_loop loop = resolved(start, end, step, schedule, 0);                                         \
		fg_region(fn, data, num_threads, flags, prepare, &loop);                                               \
	}
PARALLEL(GOMP_parallel_loop_static, FG_STATIC)
PARALLEL(GOMP_parallel_loop_dynamic, FG_DYNAMIC | FG_MONOTONIC)
PARALLEL(GOMP_parallel_loop_guided, FG_GUIDED | FG_MONOTONIC)
PARALLEL(GOMP_parallel_loop_nonmonotonic_dynamic, FG_DYNAMIC)
PARALLEL(GOMP_parallel_loop_nonmonotonic_guided, FG_GUIDED)
PARALLEL_ICV(GOMP_parallel_loop_runtime, FG_RUNTIME | FG_MONOTONIC)
PARALLEL_ICV(GOMP_parallel_loop_nonmonotonic_runtime, FG_RUNTIME)
PARALLEL_ICV(GOMP_parallel_loop_maybe_nonmonotonic_runtime, FG_RUNTIME)

/* Code of compilers before GCC 4.9 runs the body itself, between start and GOMP_parallel_end. */
#define PARALLEL_START(name, schedule)                                                                                 \
	FG_EXPORT void name(void (*fn)(void *), void *data, unsigned num_threads, long start, long end, long step,     \
			    long chunk)                                                                                \
	{                                                                                                              \
		struct fg_loop loop = resolved(start, end, step, schedule, chunk);                                     \
		fg_region_start(fn, data, num_threads, 0, prepare, &loop);                                             \
	}
#define PARALLEL_START_ICV(name, schedule)                                                                             \
	FG_EXPORT void name(void (*fn)(void *), void *data, unsigned num_threads, long start, long end, long step)     \
	{                                                                                                              \
		struct fg_loop loop = resolved(start, end, step, schedule, 0);                                         \
		fg_region_start(fn, data, num_threads, 0, prepare, &loop);                                             \
	}
PARALLEL_START(GOMP_parallel_loop_static_start, FG_STATIC)
PARALLEL_START(GOMP_parallel_loop_dynamic_start, FG_DYNAMIC | FG_MONOTONIC)
PARALLEL_START(GOMP_parallel_loop_guided_start, FG_GUIDED | FG_MONOTONIC)
PARALLEL_START_ICV(GOMP_parallel_loop_runtime_start, FG_RUNTIME | FG_MONOTONIC)
