/* One member of a team makes tasks, the last ones with a priority. All members compute for 3 ms before they run any, so
 * all of the tasks wait meanwhile. (A nested region comes first: it shows the machine to the policy.)
 *
 *   waiting MEMBERS CREATOR TASKS PRIOR */
#include <omp.h>
#include <stdlib.h>

#include "forestgomp.h"

int
main(int argc, char **argv)
{
	if (argc != 5)
		return 2;
	int members = atoi(argv[1]), creator = atoi(argv[2]), tasks = atoi(argv[3]), prior = atoi(argv[4]);
	omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2)
#pragma omp parallel num_threads(2)
	fgomp_sim_work(1000);
#pragma omp parallel num_threads(members)
	{
		if (omp_get_thread_num() == creator)
			for (int i = 0; i < tasks + prior; i++) {
#pragma omp task priority(i >= tasks)
				fgomp_sim_work(1000);
			}
		fgomp_sim_work(3000000);
	}
	return 0;
}
