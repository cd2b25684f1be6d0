/* A flat team whose member 1 a scheduler sends round the machine (plugins/exchanges.c). `docked flat|met MEMBERS
 * PHASES`: the members compute 0.4 ms and meet a barrier, in each phase; or member 1 does so in a nested team of two. A
 * nested region goes before, so that the scheduler knows the machine. It runs live too. */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "forestgomp.h"

static int phases;
static long sum;

static void
phases_of(int team)
{
#pragma omp parallel num_threads(team)
	for (int phase = 0; phase < phases; phase++) {
		double begin = omp_get_wtime();
		fgomp_sim_work(400000); /* live it does nothing */
		while (omp_get_wtime() < begin + 0.0004)
			;
#pragma omp atomic
		sum++;
#pragma omp barrier
	}
}

int
main(int argc, char **argv)
{
	if (argc != 4)
		return 2;
	int members = atoi(argv[2]), met = strcmp(argv[1], "met") == 0;
	phases = atoi(argv[3]);
	omp_set_max_active_levels(2);
#pragma omp parallel num_threads(members)
#pragma omp parallel num_threads(2)
	omp_get_wtime();
	if (met) {
#pragma omp parallel num_threads(members)
		if (omp_get_thread_num() == 1)
			phases_of(2);
	} else
		phases_of(members);
	printf("%ld\n", sum);
	return sum != (long)phases * (met ? 2 : members);
}
