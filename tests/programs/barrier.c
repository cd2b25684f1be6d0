// No member leaves a barrier before all have come. Teams are flat and nested, and members come early and late.
// threads: 1 2 3 8 64
// env: -
// env: OMP_WAIT_POLICY=passive
#include <omp.h>

#include "check.h"

#define PHASES 300

static void
phases(int count, int delay)
{
	int stamp[64] = {0}, size = 0;

#pragma omp parallel shared(stamp, size)
	{
		int me = omp_get_thread_num(), all = omp_get_num_threads();

#pragma omp single
		size = all;
		for (int p = 1; p <= count; p++) {
			if (delay && (me + p) % 5 == 0)
				delay == 1 ? check_burn(50) : (void)usleep(50);
			__atomic_store_n(&stamp[me], p, __ATOMIC_RELAXED);
#pragma omp barrier
			for (int i = 0; i < all; i++) {
				int s = __atomic_load_n(&stamp[i], __ATOMIC_RELAXED);

				CHECK(s == p || s == p + 1, "member %d at %d, %d at %d", me, p, i, s);
			}
		}
	}
	CHECK(size > 0);
}

int
main(void)
{
	int threads = omp_get_max_threads();

	phases(PHASES, 0);
	phases(20, 1);
	phases(20, 2);
	omp_set_max_active_levels(2);
#pragma omp parallel num_threads(3)
	{
		omp_set_num_threads(threads < 8 ? threads : 8);
		phases(50, 0);
		phases(10, 1);
#pragma omp barrier
		phases(10, 2);
	}
	return check_end();
}
