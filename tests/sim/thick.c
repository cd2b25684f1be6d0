/* Two teams of four begin on two PUs of a node, one PU each: the members of the first meet a barrier every 10 us, those
 * of the other every 0.5 ms. The team of the other node ends after 4 ms, and its PUs are thieves from then on. It
 * prints how often a member of each of the two teams began a phase on the other node, and in how many phases; then the
 * time that each team took, in ns. */
#define _GNU_SOURCE
#include <omp.h>
#include <sched.h>
#include <stdio.h>
#include "forestgomp.h"

#define MEMBERS 4

static const struct {
	unsigned work, phases;
} kind[] = {{10000, 800}, {500000, 40}, {2000000, 2}};
static long away[3], all[3];
static double took[3];

static void
team(int t)
{
	double begin = omp_get_wtime();
#pragma omp parallel num_threads(MEMBERS)
	for (unsigned phase = 0; phase < kind[t].phases; phase++) {
		__atomic_add_fetch(&away[t], sched_getcpu() >= 2, __ATOMIC_RELAXED);
		__atomic_add_fetch(&all[t], 1, __ATOMIC_RELAXED);
		fgomp_sim_work(kind[t].work);
#pragma omp barrier
	}
	took[t] = (omp_get_wtime() - begin) * 1e9;
}

int
main(void)
{
	omp_set_max_active_levels(2);
#pragma omp parallel num_threads(3)
	team(omp_get_thread_num());
	printf("%ld of %ld, %ld of %ld; %.0f %.0f\n", away[0], all[0], away[1], all[1], took[0], took[1]);
	return 0;
}
