// A thread that parks gives way at the end of a slice, under the lock of its bucket. It calls no member for tasks then,
// because that may unpark a thread. A build with assertions ends where it does.
// threads: 1 2
// env: FGOMP_SPIN=0
// env: FGOMP_SLICE=0
// cpus: 2
#include <omp.h>

#include "check.h"

#define SECONDS 1
#define OUTER 3
#define MEMBERS 4
#define TASKS 20

static long tasks;

static void
burn(int turns)
{
	for (volatile int i = 0; i < turns; i++)
		;
}

static void
member(void)
{
	for (int i = 0; i < TASKS; i++) {
#pragma omp task
		{
			burn(2000);
#pragma omp critical(first)
			burn(500);
#pragma omp atomic
			tasks++;
		}
#pragma omp critical(first)
		burn(3000);
	}
}

int
main(void)
{
	long regions = 0;
	omp_set_max_active_levels(2);
	for (double until = check_now() + SECONDS; check_now() < until; regions++) {
#pragma omp parallel num_threads(OUTER)
#pragma omp parallel num_threads(MEMBERS)
		{
			member();
#pragma omp barrier
			if (omp_get_thread_num() == 0)
				member();
		}
	}
	CHECK(tasks == regions * OUTER * (MEMBERS + 1) * TASKS, "%ld tasks in %ld regions", tasks, regions);
	return check_end();
}
