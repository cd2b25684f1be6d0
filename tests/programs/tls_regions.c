// threadprivate across equal regions, with everything else that a program does between them: growing, serial and nested
// ones.
// env: -
// env: FGOMP_THREADS=kernel
// threads: 2 8 64
#include <omp.h>

#include "check.h"

static int value, rounds;
#pragma omp threadprivate(value, rounds)

static void
same(int size, int base)
{
#pragma omp parallel num_threads(size)
	{
		CHECK(value == base + omp_get_thread_num(), "%d has %d", omp_get_thread_num(), value);
		rounds++;
#pragma omp barrier
		CHECK(value == base + omp_get_thread_num());
	}
}

int
main(void)
{
	int threads = omp_get_max_threads();

	omp_set_max_active_levels(1);
#pragma omp parallel
	value = 100 + omp_get_thread_num();
	for (int i = 0; i < 200; i++)
		same(threads, 100);
#pragma omp parallel
	CHECK(rounds == 200, "%d", rounds);

	/* It grows: the first members keep theirs. */
#pragma omp parallel num_threads(threads + 3)
	if (omp_get_thread_num() < threads)
		CHECK(value == 100 + omp_get_thread_num(), "%d has %d", omp_get_thread_num(), value);
#pragma omp parallel num_threads(threads + 3)
	value = 500 + omp_get_thread_num();
	for (int i = 0; i < 20; i++)
		same(threads + 3, 500);

	/* After a pause in which the workers go to sleep. */
	usleep(300000);
	same(threads + 3, 500);
	return check_end();
}
