// omp_pause_resource, soft and hard, returns -1 inside of regions, and 0 outside unless another thread of the program
// is in one. Regions afterwards are as before, on any thread, while another thread pauses too.
// threads: 1 2 8
// env: -
// env: FGOMP_THREADS=kernel
// env: FGOMP_SCHED=spread
// env: OMP_PROC_BIND=spread
// limit: 60
#include <omp.h>
#include <pthread.h>

#include "check.h"

static volatile int go_on = 1;

static void
regions(void)
{
	int threads = omp_get_max_threads(), members = 0, inner = 0;

#pragma omp parallel reduction(+ : members)
	{
		members++;
#pragma omp barrier
		if (omp_get_num_threads() > 1) {
			CHECK(omp_pause_resource(omp_pause_soft, omp_get_initial_device()) == -1);
			CHECK(omp_pause_resource_all(omp_pause_hard) == -1);
		}
	}
	CHECK(members == threads, "%d", members);
#pragma omp parallel num_threads(3) reduction(+ : inner)
#pragma omp parallel num_threads(2) reduction(+ : inner)
	inner++;
	CHECK(inner == 6, "%d", inner);
}

/* How often it was done. */
static int
pauses(void)
{
	int done = 0;
	omp_set_max_active_levels(2);
	for (int round = 0; round < 50; round++) {
		regions();
		done += omp_pause_resource(round & 1 ? omp_pause_hard : omp_pause_soft, omp_get_initial_device()) == 0;
		regions();
		done += omp_pause_resource_all(round & 1 ? omp_pause_soft : omp_pause_hard) == 0;
		done += omp_pause_resource_all(omp_pause_hard) == 0;
	}
	CHECK(omp_pause_resource(omp_pause_soft, omp_get_initial_device() + 1) == -1);
	return done;
}

static void *
other(void *arg)
{
	while (go_on)
#pragma omp parallel
	{
#pragma omp barrier
	}
	pauses();
	return arg;
}

int
main(void)
{
	pthread_t thread;

	CHECK(omp_pause_resource_all(omp_pause_soft) == 0);
	pthread_create(&thread, NULL, other, NULL);
	pauses();
	go_on = 0;
	pthread_join(thread, NULL);
	int done = pauses();
	CHECK(done == 150, "%d", done);
	return check_end();
}
