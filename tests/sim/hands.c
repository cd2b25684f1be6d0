/* Two teams meet at the same time. The members of the first compute. One member of the second makes tasks, and the
 * others have nothing else to do. Prints when each team ended, in us.
 *
 *   hands COMPUTERS WORK_US MEMBERS TASKS TASK_US */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

#include "forestgomp.h"

static void
compute(int members, double us)
{
#pragma omp parallel num_threads(members)
	fgomp_sim_work((unsigned long long)(us * 1000));
}

static void
make_tasks(int members, int tasks, double us)
{
#pragma omp parallel num_threads(members)
#pragma omp single
	for (int i = 0; i < tasks; i++)
#pragma omp task
		fgomp_sim_work((unsigned long long)(us * 1000));
}

int
main(int argc, char **argv)
{
	double ended[2] = {0};
	if (argc != 6)
		return 2;
	omp_set_max_active_levels(2);
	double start = omp_get_wtime();
#pragma omp parallel num_threads(2)
	{
		int team = omp_get_thread_num();
		if (team == 0)
			compute(atoi(argv[1]), atof(argv[2]));
		else
			make_tasks(atoi(argv[3]), atoi(argv[4]), atof(argv[5]));
		ended[team] = (omp_get_wtime() - start) * 1e6;
	}
	printf("%.1f %.1f\n", ended[0], ended[1]);
	return 0;
}
