/* Members that compute for long. `times OUTER INNER US [US_OF_THE_OTHERS]`: each inner member computes for so long, but
 * those of the teams after the first for another time. An inner team of 1 is no region. */
#include <omp.h>
#include <stdlib.h>
#include "forestgomp.h"

int
main(int argc, char **argv)
{
	if (argc < 4)
		return 2;
	int outer = atoi(argv[1]), inner = atoi(argv[2]);
	unsigned long long us = strtoull(argv[3], NULL, 10), others = argc > 4 ? strtoull(argv[4], NULL, 10) : us;
	omp_set_max_active_levels(2);
#pragma omp parallel num_threads(outer)
	{
		unsigned long long ns = 1000 * (omp_get_thread_num() ? others : us);
#pragma omp parallel num_threads(inner) if (inner > 1)
		fgomp_sim_work(ns);
	}
	return 0;
}
