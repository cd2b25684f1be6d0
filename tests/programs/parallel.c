// The parallel construct: size, numbers, private, firstprivate, shared; the region ends after all its members.
// threads: 1 2 8 64
// env: -
// env: OMP_WAIT_POLICY=passive
#include <omp.h>
#include <string.h>

#include "check.h"

int
main(void)
{
	int threads = omp_get_max_threads();
	int seen[64], sum = 0, first = 42, own = 7;

	for (int round = 0; round < 100; round++) {
		memset(seen, 0, sizeof seen);
#pragma omp parallel private(own) firstprivate(first) shared(seen, sum)
		{
			int me = omp_get_thread_num();

			own = me;
			CHECK(first == 42);
			first += me;
			CHECK(omp_get_num_threads() == threads, "%d", omp_get_num_threads());
			CHECK(omp_in_parallel() == (threads > 1));
			CHECK(omp_get_level() == 1);
			CHECK(me >= 0 && me < threads, "%d", me);
			__atomic_fetch_add(&seen[me], 1, __ATOMIC_RELAXED);
			__atomic_fetch_add(&sum, first - 42 - own + 1, __ATOMIC_RELAXED);
		}
		for (int i = 0; i < threads; i++)
			CHECK(seen[i] == 1, "member %d ran %d times", i, seen[i]);
	}
	CHECK(sum == 100 * threads, "%d", sum);
	CHECK(first == 42 && own == 7);
	CHECK(omp_get_num_threads() == 1 && omp_get_thread_num() == 0 && !omp_in_parallel());
	return check_end();
}
