// OMP_THREAD_LIMIT bounds the threads of a contention group, nested regions included.
// env: OMP_THREAD_LIMIT=3 OMP_NUM_THREADS=8 OMP_MAX_ACTIVE_LEVELS=3
#include <omp.h>

#include "check.h"

int
main(void)
{
	int size = 0;

	CHECK(omp_get_thread_limit() == 3);
#pragma omp parallel reduction(+ : size)
	size++;
	CHECK(size >= 1 && size <= 3, "%d", size);
	for (int round = 0; round < 100; round++) {
		int most = 0, now = 0;

#pragma omp parallel num_threads(2)
#pragma omp parallel num_threads(4)
		{
			int n = __atomic_add_fetch(&now, 1, __ATOMIC_SEQ_CST);

			usleep(100);
#pragma omp critical
			most = n > most ? n : most;
			__atomic_sub_fetch(&now, 1, __ATOMIC_SEQ_CST);
		}
		CHECK(most <= 3, "%d at once", most);
	}
	return check_end();
}
