// Members with the smallest stacks, and a thread of the program with the smallest that there is, run whatever the
// library does on its own: waits long enough to suspect that PUs were taken, nested regions, tasks, traces.
// threads: 4
// env: OMP_STACKSIZE=16K
// env: OMP_STACKSIZE=20K
// env: OMP_STACKSIZE=28K FGOMP_SCHED=affinity
// env: OMP_STACKSIZE=36K
// env: OMP_STACKSIZE=16K OMP_DYNAMIC=true
// env: OMP_STACKSIZE=16K FGOMP_SCHED=cache FGOMP_VERBOSE=true
// env: OMP_STACKSIZE=16K FGOMP_STATS=/tmp/small-stacks-%p
// env: OMP_STACKSIZE=16K OMP_PROC_BIND=true OMP_DISPLAY_AFFINITY=true
// limit: 60
#include <limits.h>
#include <omp.h>
#include <pthread.h>

#include "check.h"

static void
regions(int rounds)
{
	for (int r = 0; r < rounds; r++) {
		int sum = 0;

#pragma omp parallel num_threads(4) reduction(+ : sum)
		{
			if (omp_get_thread_num() == r % 4)
				check_burn(15000);
#pragma omp barrier
#pragma omp parallel num_threads(2) reduction(+ : sum)
			{
#pragma omp single
				for (int i = 0; i < 20; i++)
#pragma omp task
					check_burn(5);
				sum++;
			}
		}
		CHECK(sum >= 1, "%d", sum);
	}
}

static void *
thin(void *arg)
{
	omp_set_max_active_levels(2);
	regions(3);
	return arg;
}

int
main(void)
{
	pthread_attr_t attr;
	pthread_t thread;

	omp_set_max_active_levels(2);
	regions(20);
	pthread_attr_init(&attr);
	CHECK(pthread_attr_setstacksize(&attr, PTHREAD_STACK_MIN) == 0);
	CHECK(pthread_create(&thread, &attr, thin, NULL) == 0);
	pthread_join(thread, NULL);
	if (getenv("FGOMP_STATS")) {
		char name[100];

		snprintf(name, sizeof name, "/tmp/small-stacks-%d", getpid());
		unlink(name);
	}
	return check_end();
}
