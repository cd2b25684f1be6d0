/* Nested teams of 2, 3 and 4 on one PU each or more: members that meet a barrier every 100 us; members that do not
 * meet; one member makes 40 tasks of 100 us, which the others take. The master is in all three, one after the other. */
#include <omp.h>
#include "forestgomp.h"

#define ROUNDS 40
#define WORK_NS 100000

static void
teams(void)
{
#pragma omp parallel num_threads(2)
	for (int i = 0; i < ROUNDS; i++) {
		fgomp_sim_work(WORK_NS);
#pragma omp barrier
	}
#pragma omp parallel num_threads(3)
	fgomp_sim_work(ROUNDS * WORK_NS);
#pragma omp parallel num_threads(4)
#pragma omp master
	for (int i = 0; i < ROUNDS; i++)
#pragma omp task
		fgomp_sim_work(WORK_NS);
}

int
main(void)
{
	omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2)
#pragma omp master
	teams();
	return 0;
}
