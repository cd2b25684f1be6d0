// Tasks in their simple uses: created by one, run by all; taskwait, taskgroup, depend, taskloop, if, final, in nested
// regions.
// threads: 1 2 8 64
#include <omp.h>

#include "check.h"

static int
fib(int n)
{
	int a, b;

	if (n < 2)
		return n;
#pragma omp task shared(a) if (n > 5)
	a = fib(n - 1);
#pragma omp task shared(b) final(n < 4)
	b = fib(n - 2);
#pragma omp taskwait
	return a + b;
}

int
main(void)
{
	int count = 0, result = 0, chain = 0, looped = 0;

#pragma omp parallel
	{
#pragma omp single
		result = fib(14);
		CHECK(result == 377, "%d", result);
#pragma omp barrier
#pragma omp single nowait
		for (int i = 0; i < 200; i++)
#pragma omp task
			__atomic_fetch_add(&count, 1, __ATOMIC_RELAXED);
#pragma omp barrier
		CHECK(count == 200, "%d", count);
#pragma omp barrier
#pragma omp single
		{
#pragma omp taskgroup
			for (int i = 0; i < 10; i++)
#pragma omp task
			{
#pragma omp task
				__atomic_fetch_add(&count, 1, __ATOMIC_RELAXED);
			}
			CHECK(count == 210, "%d", count);
			for (int i = 1; i <= 100; i++)
#pragma omp task depend(inout : chain) firstprivate(i)
			{
				CHECK(chain == i - 1, "%d in task %d", chain, i);
				chain = i;
			}
#pragma omp taskwait
#pragma omp taskloop reduction(+ : looped) grainsize(7)
			for (int i = 0; i < 100; i++)
				looped += i;
			CHECK(looped == 4950, "%d", looped);
		}
	}
	CHECK(chain == 100);
	omp_set_max_active_levels(2);
	count = 0;
#pragma omp parallel num_threads(3)
#pragma omp parallel num_threads(3)
	{
		for (int i = 0; i < 20; i++)
#pragma omp task
			__atomic_fetch_add(&count, 1, __ATOMIC_RELAXED);
	}
	CHECK(count == 180, "%d", count);
	return check_end();
}
