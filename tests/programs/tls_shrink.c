// threadprivate survives regions of other sizes in between (4, 2, 4): its key is the member's number, not the team's
// size.
// env: -
// env: FGOMP_THREADS=kernel
// threads: 4 16
// env: -
// env: FGOMP_THREADS=kernel
// stock: fails (threads that a smaller region does not need exit there)
#include <omp.h>

#include "check.h"

static int value;
#pragma omp threadprivate(value)

int
main(void)
{
	int threads = omp_get_max_threads();
	int sizes[] = {2, 1, threads, 3, threads, threads + 2, 2};

#pragma omp parallel
	value = 100 + omp_get_thread_num();
	for (int round = 0; round < 30; round++) {
		int size = sizes[round % 7];

#pragma omp parallel num_threads(size)
		if (omp_get_thread_num() < threads)
			CHECK(value == 100 + omp_get_thread_num(), "%d of %d has %d", omp_get_thread_num(), size,
			      value);
		usleep(round % 3 * 1000);
	}
	omp_set_max_active_levels(2);
#pragma omp parallel
	{
#pragma omp parallel num_threads(3)
		if (omp_get_thread_num())
			value = -1;
		CHECK(value == 100 + omp_get_thread_num(), "%d has %d", omp_get_thread_num(), value);
	}
#pragma omp parallel
	CHECK(value == 100 + omp_get_thread_num(), "%d has %d", omp_get_thread_num(), value);
	return check_end();
}
