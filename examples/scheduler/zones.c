/* A grid of eight zones of very different sizes. A nested team of one thread for each zone sweeps it again and again.
 * The largest zone happens to be the last. The program tells the sizes to the runtime, if that is ForestGOMP.
 *
 *   gcc -O2 -fopenmp zones.c -o zones */
#include <forestgomp.h>
#include <omp.h>
#include <stdio.h>

#pragma weak fgomp_set_next_team_member_loads

enum { ZONES = 8, SWEEPS = 40, UNIT = 200000 };
static const double size[ZONES] = {1, 1, 1, 2, 2, 2, 3, 12};

static double
sweep_zone(unsigned zone)
{
	double x = 0;
	for (int i = 0; i < (int)size[zone] * UNIT; i++)
		x = x * 0.5 + 1;
	return x;
}

int
main(void)
{
	double sum = 0, start = omp_get_wtime();
	omp_set_max_active_levels(2);
#pragma omp parallel
#pragma omp masked
	for (int s = 0; s < SWEEPS; s++) {
		if (fgomp_set_next_team_member_loads)
			fgomp_set_next_team_member_loads(ZONES, size);
#pragma omp parallel num_threads(ZONES) reduction(+ : sum)
		sum += sweep_zone((unsigned)omp_get_thread_num());
	}
	printf("%.3f s, mean %.6f\n", omp_get_wtime() - start, sum / ZONES / SWEEPS);
	return 0;
}
