/* Gangs: teams whose members wait for each other in loops of the program's own. `gangs TEAMS MEMBERS PHASES`: each
 * member computes for 50 us in each phase, then spins until all of its team have. It prints the time, the part of all
 * computing that was spinning, and how often two teams changed places: pairs of phases one after the other that
 * were of different teams. */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include "forestgomp.h"

#define WORK_NS 50000
#define SPIN_NS 1000
#define MAX 16

static struct {
	_Alignas(64) int arrived;
} team[MAX];
static long spun;
static int last, changes;

static void
phase(int t, int members, int number)
{
	fgomp_sim_work(WORK_NS);
	int here = __atomic_add_fetch(&team[t].arrived, 1, __ATOMIC_ACQ_REL);
	if (here == members * (number + 1) && __atomic_exchange_n(&last, t, __ATOMIC_RELAXED) != t)
		__atomic_add_fetch(&changes, 1, __ATOMIC_RELAXED);
	while (__atomic_load_n(&team[t].arrived, __ATOMIC_ACQUIRE) < members * (number + 1)) {
		fgomp_sim_work(SPIN_NS);
		__atomic_add_fetch(&spun, SPIN_NS, __ATOMIC_RELAXED);
	}
}

int
main(int argc, char **argv)
{
	if (argc != 4)
		return 2;
	int teams = atoi(argv[1]), members = atoi(argv[2]), phases = atoi(argv[3]);
	omp_set_max_active_levels(2);
	double begin = omp_get_wtime();
#pragma omp parallel num_threads(teams)
	{
		int t = omp_get_thread_num();
#pragma omp parallel num_threads(members)
		for (int number = 0; number < phases; number++)
			phase(t, members, number);
	}
	double all = (double)teams * members * phases * WORK_NS;
	printf("%.0f %.3f %d\n", (omp_get_wtime() - begin) * 1e9, (double)spun / (all + (double)spun), changes);
	return 0;
}
