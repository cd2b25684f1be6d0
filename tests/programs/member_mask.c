// The C library says that a member may use the CPUs that the process may use. A member that a parked pthread stands for
// gets the same answer. Members are those of a flat team with more members than CPUs, and of nested regions.
// limit: 20
#define _GNU_SOURCE
#include <omp.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>

static cpu_set_t whole;
static int wrong;

static void
look(void)
{
	cpu_set_t mask;
	int error = pthread_getaffinity_np(pthread_self(), sizeof mask, &mask);
	if (error || !CPU_EQUAL(&mask, &whole)) {
#pragma omp atomic
		wrong++;
	}
}

int
main(void)
{
	if (sched_getaffinity(0, sizeof whole, &whole) != 0)
		return 1;
	omp_set_max_active_levels(2);
	for (int turn = 0; turn < 20; turn++) {
#pragma omp parallel num_threads(2)
#pragma omp parallel num_threads(4)
		look();
#pragma omp parallel num_threads(8)
		{
			look();
#pragma omp barrier
			look();
		}
	}
	if (wrong)
		printf("%d members have other CPUs than the process\n", wrong);
	return wrong != 0;
}
