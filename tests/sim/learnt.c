/* Outer members with different amounts of given work, in inner regions of the same code, and of their own. `learnt
 * OUTER INNER STEPS [told]`. */
#include <omp.h>
#include <stdlib.h>
#include "forestgomp.h"

#pragma weak fgomp_set_next_team_member_loads

int
main(int argc, char **argv)
{
	int outer = argc > 3 ? atoi(argv[1]) : 4, inner = argc > 3 ? atoi(argv[2]) : 4,
	    steps = argc > 3 ? atoi(argv[3]) : 1;
	double loads[64];
	omp_set_max_active_levels(2);
	for (int k = 0; k < outer; k++)
		loads[k] = k == 1 ? 11 : 1;
	for (int step = 0; step < steps; step++) {
		if (argc > 4 && fgomp_set_next_team_member_loads)
			fgomp_set_next_team_member_loads(outer, loads);
#pragma omp parallel num_threads(outer)
		{
			int k = omp_get_thread_num();
#pragma omp parallel num_threads(inner)
			fgomp_sim_work(omp_get_thread_num() == 2 ? k * 20000 + 5000 : k == 1 ? 100000 : 10000);
			fgomp_sim_work(10000);
#pragma omp barrier
			fgomp_sim_work(1000);
		}
	}
	return 0;
}
