/* Programs to be replayed. `replayed CASE`: a recursive tree of tasks, tasks of one producer in a taskgroup, nested
 * teams of uneven sizes with uneven work between barriers, or barriers that may be cancelled. */
#include <omp.h>
#include <string.h>
#include "forestgomp.h"

#define ROUNDS 5

static void
tree(int depth, unsigned ns)
{
	if (depth == 0) {
		fgomp_sim_work(ns);
		return;
	}
	for (int i = 0; i < 3; i++) {
#pragma omp task
		tree(depth - 1, ns + 7000u * (unsigned)i);
	}
	fgomp_sim_work(5000);
#pragma omp taskwait
	fgomp_sim_work(3000);
}

static void
flat(void)
{
#pragma omp taskgroup
	{
		for (int i = 0; i < 300; i++) {
#pragma omp task
			fgomp_sim_work(20000u + 1000u * (unsigned)(i % 37));
		}
		fgomp_sim_work(100000);
	}
}

static void
uneven(int team)
{
#pragma omp parallel num_threads(2 + 4 * team)
	for (int phase = 0; phase < 6; phase++) {
		fgomp_sim_work(100000u * (unsigned)(1 + (omp_get_thread_num() * 7 + team * 3 + phase) % 5));
#pragma omp barrier
	}
}

/* With OMP_CANCELLATION its barriers are others. */
static void
cancellable(void)
{
#pragma omp parallel num_threads(4)
	for (int i = 0; i < 20; i++) {
		fgomp_sim_work(10000u * (unsigned)(1 + (omp_get_thread_num() + i) % 4));
#pragma omp cancellation point parallel
#pragma omp barrier
	}
}

int
main(int argc, char **argv)
{
	const char *name = argc > 1 ? argv[1] : "tree";
	omp_set_max_active_levels(2);
	for (int round = 0; round < ROUNDS; round++) {
		fgomp_sim_work(50000);
		if (strcmp(name, "cancellable") == 0) {
			cancellable();
			continue;
		}
		if (strcmp(name, "uneven") == 0) {
#pragma omp parallel num_threads(4)
			uneven(omp_get_thread_num());
			continue;
		}
#pragma omp parallel num_threads(16)
#pragma omp single
		if (strcmp(name, "tree") == 0)
			tree(5, 20000);
		else
			flat();
	}
	return 0;
}
