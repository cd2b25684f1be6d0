/* Regions in regions, one after the other; each prints its beginning and how long it took, in us. */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include "forestgomp.h"

int
main(int argc, char **argv)
{
	int rounds = argc > 1 ? atoi(argv[1]) : 3;
	omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2)
	if (omp_get_thread_num() == 0)
		for (int i = 0; i < rounds; i++) {
			double start = omp_get_wtime();
			fgomp_sim_work(1000000);
#pragma omp parallel num_threads(2)
			fgomp_sim_work(1000);
			printf("step %.0f\n", (omp_get_wtime() - start) * 1e6);
		}
	return 0;
}
