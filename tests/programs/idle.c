// Soon after its last region a process uses less than 1% of a CPU: there is a second in which it does. A process that
// is never idle goes on until the runner ends it.
// threads: 2 8 64
// env: -
// env: OMP_WAIT_POLICY=passive
#include <omp.h>
#include <sys/resource.h>

#include "check.h"

static double
cpu_time(void)
{
	struct rusage use;

	getrusage(RUSAGE_SELF, &use);
	return use.ru_utime.tv_sec + use.ru_stime.tv_sec + (use.ru_utime.tv_usec + use.ru_stime.tv_usec) * 1e-6;
}

int
main(void)
{
	int sum = 0;
	double used;

	omp_set_max_active_levels(2);
	for (int i = 0; i < 50; i++) {
#pragma omp parallel reduction(+ : sum)
		{
#pragma omp barrier
			sum++;
		}
	}
#pragma omp parallel num_threads(3)
#pragma omp parallel num_threads(4)
	check_burn(100);
	do {
		used = cpu_time();
		usleep(1000000);
		used = cpu_time() - used;
	} while (used >= 0.01);

	/* And it wakes up again. */
#pragma omp parallel reduction(+ : sum)
	sum++;
	CHECK(sum == 51 * omp_get_max_threads());
	return check_end();
}
