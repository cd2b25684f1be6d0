// The size of a region with if and num_threads clauses, omp_set_num_threads, omp_set_dynamic and max-active-levels.
// env: OMP_NUM_THREADS=3
#include <limits.h>
#include <omp.h>

#include "check.h"

static int
size_now(void)
{
	int size = -1;

#pragma omp parallel
#pragma omp master
	size = omp_get_num_threads();
	return size;
}

int
main(void)
{
	volatile int no = 0, yes = 1, want = 5;
	int size = 0;

	CHECK(size_now() == 3);
#pragma omp parallel if (no)
	{
		CHECK(omp_get_num_threads() == 1 && omp_get_level() == 1 && omp_get_active_level() == 0);
		CHECK(!omp_in_parallel());
	}
#pragma omp parallel if (yes) num_threads(want) reduction(+ : size)
	size++;
	CHECK(size == 5, "%d", size);
	size = 0;
#pragma omp parallel if (no) num_threads(want) reduction(+ : size)
	size++;
	CHECK(size == 1, "%d", size);

	omp_set_num_threads(7);
	CHECK(omp_get_max_threads() == 7 && size_now() == 7);
	omp_set_num_threads(1);
	CHECK(size_now() == 1);
	omp_set_num_threads(4);

	/* Set by a member: for its own nested regions only. */
	omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2)
	{
		int me = omp_get_thread_num(), inner = 0;

		CHECK(omp_get_max_threads() == 4);
		omp_set_num_threads(me + 2);
#pragma omp barrier
		CHECK(omp_get_max_threads() == me + 2, "%d", omp_get_max_threads());
#pragma omp parallel reduction(+ : inner)
		inner++;
		CHECK(inner == me + 2, "%d", inner);
	}
	CHECK(omp_get_max_threads() == 4 && size_now() == 4);

	omp_set_max_active_levels(1);
	CHECK(omp_get_max_active_levels() == 1);
#pragma omp parallel num_threads(2)
	CHECK(size_now() == 1);
	omp_set_max_active_levels(0);
	CHECK(size_now() == 1);
	omp_set_max_active_levels(1);

	omp_set_dynamic(1);
	CHECK(omp_get_dynamic());
	CHECK(size_now() >= 1 && size_now() <= 4);
	omp_set_dynamic(0);
	CHECK(size_now() == 4);
	CHECK(omp_get_thread_limit() == INT_MAX);
	return check_end();
}
