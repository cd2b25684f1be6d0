/* A team of high priority beside teams of none. `priorities LOW MEMBERS US`: LOW members of the flat team meet teams
 * of four, one after the other, whose members compute for 0.5 ms each. One more member computes for 2 ms, then meets a
 * team of priority 1, whose MEMBERS compute for US each. It prints how long that took, in nanoseconds, and how long the
 * low members computed within that time. */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include "forestgomp.h"

#define PIECE_NS 10000
#define PIECES 50
#define ROUNDS 20

static int high, beside;

static void
low(void)
{
	for (int i = 0; i < PIECES; i++) {
		fgomp_sim_work(PIECE_NS);
		__atomic_fetch_add(&beside, __atomic_load_n(&high, __ATOMIC_RELAXED), __ATOMIC_RELAXED);
	}
}

int
main(int argc, char **argv)
{
	if (argc != 4)
		return 2;
	int n_low = atoi(argv[1]), members = atoi(argv[2]);
	unsigned long long ns = 1000 * strtoull(argv[3], NULL, 10);
	double took = 0;
	omp_set_max_active_levels(2);
#pragma omp parallel num_threads(n_low + 1)
	if (omp_get_thread_num() < n_low) {
		for (int round = 0; round < ROUNDS; round++)
#pragma omp parallel num_threads(4)
			low();
	} else {
		fgomp_sim_work(2000000);
		double begin = omp_get_wtime();
		fgomp_set_next_team_load(1);
		high = 1;
#pragma omp parallel num_threads(members)
		fgomp_sim_work(ns);
		high = 0;
		took = omp_get_wtime() - begin;
	}
	printf("%.0f %d\n", took * 1e9, beside * PIECE_NS);
	return 0;
}
