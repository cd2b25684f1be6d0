// threadprivate: own copies that last from region to region, copyin, copies of the initial thread outside regions.
// env: -
// env: FGOMP_THREADS=kernel
// threads: 1 2 8 64
// env: -
// env: FGOMP_THREADS=kernel
#include <omp.h>
#include <string.h>

#include "check.h"

static int number = 5;
static double table[10] = {1.5};
#pragma omp threadprivate(number, table)

int
main(void)
{
	int threads = omp_get_max_threads();
	int *address[64];

	omp_set_dynamic(0);
	number = 77;
	table[9] = 0.25;
#pragma omp parallel copyin(number, table)
	{
		int me = omp_get_thread_num();

		CHECK(number == 77 && table[0] == 1.5 && table[9] == 0.25, "%d", number);
#pragma omp barrier
		number = 1000 + me;
		table[3] = me;
		address[me] = &number;
	}
	CHECK(number == 1000 && table[3] == 0);
	for (int i = 0; i < threads; i++)
		for (int j = 0; j < i; j++)
			CHECK(address[i] != address[j]);

	for (int round = 0; round < 50; round++) {
		number = 1000;
#pragma omp parallel
		{
			int me = omp_get_thread_num();

			CHECK(number == 1000 + me && table[3] == me, "%d has %d", me, number);
			CHECK(address[me] == &number);
#pragma omp barrier
			CHECK(number == 1000 + me);
		}
		/* Serial and inactive regions in between change nothing. */
#pragma omp parallel if (0)
		number++;
		CHECK(number == 1001);
	}

	/* copyin a second time, another value. */
	number = 3;
#pragma omp parallel copyin(number)
	CHECK(number == 3);
	return check_end();
}
