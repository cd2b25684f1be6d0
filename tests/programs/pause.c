// omp_pause_resource, soft and hard: 0 outside of regions and -1 inside; whatever it gave up, regions afterwards are as before, on any
// thread of the program, while another is in a region of its own.
// threads: 1 2 8
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

static void
pauses(void)
{
	omp_set_max_active_levels(2);
	for (int round = 0; round < 50; round++) {
		regions();
		CHECK(omp_pause_resource(round & 1 ? omp_pause_hard : omp_pause_soft, omp_get_initial_device()) == 0);
		regions();
		CHECK(omp_pause_resource_all(round & 1 ? omp_pause_soft : omp_pause_hard) == 0);
		CHECK(omp_pause_resource_all(omp_pause_hard) == 0);
	}
	CHECK(omp_pause_resource(omp_pause_soft, omp_get_initial_device() + 1) == -1);
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
	return check_end();
}
