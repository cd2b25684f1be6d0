/* Two teams of threads work in phases, with a barrier after each. The first team ends early. Then the members of the
 * second spread over the PUs that are free, and its phases take half of the time: `phases [THREADS [PHASES]]`.
 *
 * On a simulated machine each member computes 0.4 ms in a phase. Elsewhere it turns a loop. */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

#include "forestgomp.h"

#define WORK_NS 400000

static void
compute(void)
{
	fgomp_sim_work(WORK_NS);
	for (volatile int i = 0; i < 1000; i++)
		;
}

int
main(int argc, char **argv)
{
	int threads = argc > 1 ? atoi(argv[1]) : omp_get_num_procs(), phases = argc > 2 ? atoi(argv[2]) : 12;
	if (argc > 3 || threads < 2 || phases < 2) {
		fprintf(stderr, "usage: phases [THREADS [PHASES]]; at least 2 threads in each team, and 2 phases\n");
		return 2;
	}
	double *passed = malloc((size_t)phases * sizeof *passed);
	if (!passed)
		return 1;
	omp_set_max_active_levels(2);
	double begin = omp_get_wtime();
#pragma omp parallel num_threads(2)
	{
		int team = omp_get_thread_num(), mine = team == 0 ? phases / 2 : phases;
#pragma omp parallel num_threads(threads)
		for (int phase = 0; phase < mine; phase++) {
			compute();
#pragma omp barrier
			if (team == 1 && omp_get_thread_num() == 0)
				passed[phase] = omp_get_wtime();
		}
	}
	for (int phase = 0; phase < phases; phase++)
		printf("phase %2d of team 1: %7.1f us%s\n", phase, (passed[phase] - (phase ? passed[phase - 1] : begin)) * 1e6,
		       phase == phases / 2 ? "   team 0 has ended" : "");
	free(passed);
	return 0;
}
