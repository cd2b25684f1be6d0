// Constructs outside any region: the caller is a team of one.
// threads: 1 8
#include <omp.h>

#include "check.h"

static int sum, value;

int
main(void)
{

	for (int round = 0; round < 3; round++) {
		sum = 0;
#pragma omp for schedule(dynamic, 3)
		for (int i = 0; i < 100; i++)
			sum += i;
#pragma omp for schedule(guided) nowait
		for (unsigned long long i = 0; i < 100; i++)
			sum += (int)i;
#pragma omp for ordered schedule(runtime)
		for (int i = 0; i < 100; i++) {
#pragma omp ordered
			sum += i;
		}
#pragma omp for ordered(1) schedule(static)
		for (int i = 0; i < 100; i++) {
#pragma omp ordered depend(sink : i - 1)
			sum += i;
#pragma omp ordered depend(source)
		}
#pragma omp for reduction(+ : sum)
		for (int i = 0; i < 100; i++)
			sum += i;
		CHECK(sum == 5 * 4950, "%d", sum);
#pragma omp sections
		{
#pragma omp section
			value++;
#pragma omp section
			value++;
		}
#pragma omp single
		value++;
#pragma omp master
		value++;
#pragma omp critical
		value++;
#pragma omp barrier
#pragma omp atomic
		value++;
#pragma omp task
		value++;
#pragma omp taskwait
		CHECK(value == 7 * (round + 1), "%d", value);
		/* And a region in between. */
#pragma omp parallel
		CHECK(omp_get_num_threads() == omp_get_max_threads());
	}
	return check_end();
}
