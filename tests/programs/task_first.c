// Members of a parallel loop make tasks as soon as they run, while the encountering thread is still on its way out of
// the fork. Members that are done come back for the tasks, and the region ends.
// threads: 2 8
// cpus: 2
// env: -
// env: FGOMP_THREADS=kernel
// env: OMP_CANCELLATION=true
#include <omp.h>

#include "check.h"

#define ROUNDS 20000
#define NESTED 400

static int sum;

static void
add(void)
{
#pragma omp task
#pragma omp atomic
	sum++;
}

static void
region(void)
{
#pragma omp parallel for schedule(dynamic)
	for (int i = 0; i < 50; i++)
		add();
}

int
main(void)
{
	for (int round = 0; round < ROUNDS; round++)
		region();
	CHECK(sum == 50 * ROUNDS, "%d tasks of %d", sum, 50 * ROUNDS);
	omp_set_max_active_levels(2);
	sum = 0;
#pragma omp parallel num_threads(2)
	for (int round = 0; round < NESTED; round++)
		region();
	CHECK(sum == 2 * 50 * NESTED, "%d tasks of %d in nested regions", sum, 2 * 50 * NESTED);
	return check_end();
}
