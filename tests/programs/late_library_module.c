// Brings the runtime into a program that is not linked with it.
#include <omp.h>

static int kept;

/* A number that grows by one with each call as long as the runtime and its settings stay; -1: a region went wrong. */
int
late_region(int threads)
{
	int members = 0, numbers = 0;

#pragma omp parallel num_threads(threads) reduction(+ : members, numbers)
	{
		members++;
		numbers += omp_get_thread_num();
#pragma omp barrier
#pragma omp task
		{
		}
	}
	if (members != threads || numbers != threads * (threads - 1) / 2)
		return -1;
	kept = omp_get_max_threads();
	omp_set_num_threads(kept + 1);
	return kept;
}

__attribute__((destructor)) static void
at_the_end(void)
{
	if (late_region(3) < 0)
		__builtin_trap();
}
