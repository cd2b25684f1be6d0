/* What it costs that all members of a team read one line: `forks MEMBERS` prints the ns of a region, less its work. */
#include <forestgomp.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

#define REGIONS 20
#define WORK_NS 100000 /* long enough that all members wait for the next region side by side */

int
main(int argc, char **argv)
{
	int members = argc > 1 ? atoi(argv[1]) : 2;
	double begin = 0;
	for (int i = -1; i < REGIONS; i++) {
		if (i == 0)
			begin = omp_get_wtime();
#pragma omp parallel num_threads(members)
		fgomp_sim_work(WORK_NS);
	}
	printf("%.0f\n", (omp_get_wtime() - begin) * 1e9 / REGIONS - WORK_NS);
	return 0;
}
