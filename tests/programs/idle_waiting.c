// A region whose members all sleep or wait for a barrier burns no CPU either. Where it always does, the program goes on
// until the runner ends it.
// threads: 2 8
// env: OMP_WAIT_POLICY=passive
#include <omp.h>
#include <sys/resource.h>

#include "check.h"

int
main(void)
{
	struct rusage before, after;
	double used;

#pragma omp parallel
	usleep(1000);
	do {
		getrusage(RUSAGE_SELF, &before);
#pragma omp parallel
		{
			if (omp_get_thread_num() == 0)
				usleep(1000000);
#pragma omp barrier
		}
		getrusage(RUSAGE_SELF, &after);
		used = (after.ru_utime.tv_sec - before.ru_utime.tv_sec) +
		       (after.ru_stime.tv_sec - before.ru_stime.tv_sec) +
		       (after.ru_utime.tv_usec - before.ru_utime.tv_usec + after.ru_stime.tv_usec -
			before.ru_stime.tv_usec) *
			       1e-6;
	} while (used >= 0.1);
	return check_end();
}
