// master and masked: the primary thread, or the one that the filter names; no barrier.
// threads: 1 2 8 64
#include <omp.h>

#include "check.h"

int
main(void)
{
	int threads = omp_get_max_threads(), masters = 0, masked = 0, filtered = 0;

#pragma omp parallel
	for (int round = 0; round < 50; round++) {
#pragma omp master
		{
			CHECK(omp_get_thread_num() == 0);
			masters++;
		}
#pragma omp masked
		masked++;
#pragma omp masked filter(round % threads)
		{
			CHECK(omp_get_thread_num() == round % threads);
			__atomic_fetch_add(&filtered, 1, __ATOMIC_RELAXED);
		}
	}
	CHECK(masters == 50 && masked == 50 && filtered == 50, "%d %d %d", masters, masked, filtered);
	return check_end();
}
