// One second after its last region a process uses less than 1% of a CPU.
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
	usleep(1000000);
	used = cpu_time();
	usleep(1000000);
	used = cpu_time() - used;
	CHECK(used < 0.01, "%.4f s of CPU time in an idle second", used);

	/* And it wakes up again. */
#pragma omp parallel reduction(+ : sum)
	sum++;
	CHECK(sum == 51 * omp_get_max_threads());
	return check_end();
}
