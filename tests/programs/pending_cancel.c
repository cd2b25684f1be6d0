// A thread with a pending pthread_cancel opens regions and calls routines. None of these is a cancellation point, so
// all of them run whole. The thread ends at its next pthread_testcancel. Waits are long enough for a worker to suspect
// that PUs were taken from the process, and to sleep.
// threads: 4
// env: -
// env: OMP_DYNAMIC=true
// env: FGOMP_SCHED=affinity
// env: FGOMP_SCHED=cache FGOMP_VERBOSE=true
// env: FGOMP_STATS=/tmp/pending-cancel-%p
// env: OMP_DISPLAY_AFFINITY=true
// limit: 60
#include <omp.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "check.h"

static atomic_int sum;

static void
flat(void)
{
	sum = 0;
	for (int size = 2; size <= 8; size += 3)
#pragma omp parallel num_threads(size)
	{
#pragma omp for schedule(dynamic, 7)
		for (int i = 0; i < 100; i++)
			sum++;
#pragma omp barrier
	}
	CHECK(sum == 300, "%d", sum);
}

static void
nested(void)
{
	omp_set_max_active_levels(2);
#pragma omp parallel num_threads(4)
#pragma omp parallel num_threads(3)
	{
#pragma omp barrier
		sum++;
	}
	CHECK(sum == 12 || (omp_get_dynamic() && sum > 0), "%d", sum);
}

static void
tasks(void)
{
#pragma omp parallel num_threads(4)
#pragma omp single
	for (int i = 0; i < 100; i++)
#pragma omp task
	{
		sum++;
#pragma omp task
		sum++;
#pragma omp taskwait
	}
	CHECK(sum == 200, "%d", sum);
}

/* Members wait for one that computes. */
static void
waits(void)
{
	for (int i = 0; i < 12; i++)
#pragma omp parallel num_threads(6)
	{
		if (omp_get_thread_num() == i % 6)
			check_burn(30000);
#pragma omp barrier
	}
	for (int i = 0; i < 30; i++)
#pragma omp parallel num_threads(2)
		check_burn(omp_get_thread_num() ? 20000 : 5000);
}

static void
displays(void)
{
	char text[200];

	omp_display_affinity(NULL);
	omp_capture_affinity(text, sizeof text, "%H %A %P");
	omp_display_env(1);
	omp_get_num_places();
}

static void
pauses(void)
{
	flat();
	omp_pause_resource_all(omp_pause_hard);
}

static void (*const parts[])(void) = {flat, nested, tasks, waits, displays, pauses};

#define PARTS (sizeof parts / sizeof *parts)

static void *
cancelled(void *reached)
{
	size_t part = *(size_t *)reached;

	pthread_cancel(pthread_self());
	sum = 0;
	parts[part]();
	*(size_t *)reached = PARTS;
	for (;;)
		pthread_testcancel();
}

int
main(void)
{
	for (size_t i = 0; i < PARTS; i++) {
		size_t reached = i;
		pthread_t thread;
		void *result;

		CHECK(pthread_create(&thread, NULL, cancelled, &reached) == 0);
		pthread_join(thread, &result);
		CHECK(result == PTHREAD_CANCELED && reached == PARTS, "%zu", i);
	}
	if (getenv("FGOMP_STATS")) {
		char name[100];

		snprintf(name, sizeof name, "/tmp/pending-cancel-%d", getpid());
		unlink(name);
	}
	return check_end();
}
