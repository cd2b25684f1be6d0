// The runtime schedule, from the environment and from omp_set_schedule; omp_get_schedule tells it back.
// threads: 1 2 8 64
// env: -
// env: OMP_SCHEDULE=static,3
// env: OMP_SCHEDULE=guided
#include "loops.h"

LOOP_CASES(plain, schedule(runtime))
LOOP_CASES(monotonic, schedule(monotonic : runtime))
LOOP_CASES(nonmonotonic, schedule(nonmonotonic : runtime))

static void
told_back(omp_sched_t kind, int chunk, int expect)
{
	omp_sched_t got;
	int got_chunk;

	omp_set_schedule(kind, chunk);
	omp_get_schedule(&got, &got_chunk);
	CHECK((got & ~omp_sched_monotonic) == (kind & ~omp_sched_monotonic), "set %x got %x", kind, got);
	CHECK(got_chunk == expect || kind == omp_sched_auto, "chunk %d for %d", got_chunk, chunk);
#pragma omp parallel
	{
		omp_sched_t inside;
		int inside_chunk;

		omp_get_schedule(&inside, &inside_chunk);
		CHECK(inside == got && inside_chunk == got_chunk);
	}
	plain();
}

int
main(void)
{
	const char *wanted = getenv("OMP_SCHEDULE");
	omp_sched_t kind;
	int chunk;

	omp_get_schedule(&kind, &chunk);
	kind &= ~omp_sched_monotonic;
	if (!wanted)
		CHECK(kind == omp_sched_dynamic && chunk == 1, "%d %d", kind, chunk);
	else if (*wanted == 's')
		CHECK(kind == omp_sched_static && chunk == 3, "%d %d", kind, chunk);
	else
		CHECK(kind == omp_sched_guided && chunk == 1, "%d %d", kind, chunk);
	plain();
	monotonic();
	nonmonotonic();
	told_back(omp_sched_static, 0, 0);
	told_back(omp_sched_static, 5, 5);
	told_back(omp_sched_dynamic, 3, 3);
	told_back(omp_sched_dynamic, -1, 1);
	told_back(omp_sched_guided, 2, 2);
	told_back(omp_sched_auto, 0, 0);
	told_back((omp_sched_t)(omp_sched_dynamic | omp_sched_monotonic), 4, 4);
	return check_end();
}
