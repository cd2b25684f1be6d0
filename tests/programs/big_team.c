// A team of 300, with barriers, loops, singles, reductions, storage of its own for each member.
// threads: 300
#include <omp.h>

#include "check.h"

static int priv;
#pragma omp threadprivate(priv)

int
main(void)
{
	int seen[300] = {0}, sum = 0, singles = 0, loop = 0;

	for (int round = 0; round < 3; round++) {
#pragma omp parallel reduction(+ : sum)
		{
			int me = omp_get_thread_num();

			CHECK(omp_get_num_threads() == 300);
			if (round)
				CHECK(priv == me, "%d has %d", me, priv);
			priv = me;
			seen[me]++;
#pragma omp barrier
			for (int i = 0; i < 300; i++)
				CHECK(seen[i] == round + 1, "member %d: %d", i, seen[i]);
#pragma omp barrier
#pragma omp single
			singles++;
#pragma omp for schedule(dynamic)
			for (int i = 0; i < 1000; i++)
				__atomic_fetch_add(&loop, 1, __ATOMIC_RELAXED);
			CHECK(priv == me);
			sum += me;
		}
	}
	CHECK(sum == 3 * 300 * 299 / 2 && singles == 3 && loop == 3000, "%d %d %d", sum, singles, loop);
	return check_end();
}
