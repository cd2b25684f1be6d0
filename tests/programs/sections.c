// sections: each one once, by anybody; firstprivate, lastprivate, reduction, nowait; parallel sections; orphaned.
// threads: 1 2 8 64
#include <omp.h>
#include <string.h>

#include "check.h"

static int ran[5], before, last = -1, first = 11;

static void
orphan(void)
{
#pragma omp sections lastprivate(last) firstprivate(first)
	{
#pragma omp section
		{
			CHECK(first == 11);
			__atomic_fetch_add(&ran[0], 1, __ATOMIC_RELAXED);
			last = 0;
		}
#pragma omp section
		__atomic_fetch_add(&ran[1], 1, __ATOMIC_RELAXED);
#pragma omp section
		{
			__atomic_fetch_add(&ran[2], 1, __ATOMIC_RELAXED);
			last = 2;
		}
	}
}

int
main(void)
{
	int sum = 0;

	for (int round = 0; round < 50; round++) {
#pragma omp parallel sections reduction(+ : sum) lastprivate(last)
		{
#pragma omp section
			sum += 1;
#pragma omp section
			sum += 2;
#pragma omp section
			{
				sum += 4;
				last = round;
			}
		}
		CHECK(last == round);
	}
	CHECK(sum == 350, "%d", sum);

	memset(ran, 0, sizeof ran);
#pragma omp parallel
	for (int round = 0; round < 50; round++)
		orphan();
	orphan();
	CHECK(ran[0] == 51 && ran[1] == 51 && ran[2] == 51, "%d %d %d", ran[0], ran[1], ran[2]);

	/* The barrier at the end, and none with nowait. */
	memset(ran, 0, sizeof ran);
#pragma omp parallel
	for (int round = 1; round <= 50; round++) {
#pragma omp sections
		{
#pragma omp section
			ran[3]++;
#pragma omp section
			ran[4]++;
		}
		CHECK(ran[3] == round && ran[4] == round, "%d %d", ran[3], ran[4]);
#pragma omp barrier
#pragma omp sections nowait
		{
#pragma omp section
			__atomic_fetch_add(&before, 1, __ATOMIC_RELAXED);
#pragma omp section
			__atomic_fetch_add(&before, 1, __ATOMIC_RELAXED);
		}
	}
	CHECK(before == 100, "%d", before);
	return check_end();
}
