/* Nested teams that meet barriers. `barriers CASE OUTER INNER PHASES`: each inner member computes and meets a barrier,
 * in each phase. Two regions go before, so that the workers are there. It prints the time of all phases, and in the
 * cases with a change the times between the barriers of one team. */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "forestgomp.h"

#define WORK_NS 400000
#define CHANGE 5 /* the phase before which something changes */

static int outer, inner, phases;

static double
now_ns(void)
{
	return omp_get_wtime() * 1e9;
}

/* Returns the time of all phases. work() says how long a member computes; 0: its team ends there. */
static double
run(unsigned (*work)(int team, int member, int phase), double *passed)
{
	double begin = now_ns();
#pragma omp parallel num_threads(outer)
	{
		int team = omp_get_thread_num();
#pragma omp parallel num_threads(inner)
		for (int phase = 0; phase < phases; phase++) {
			unsigned ns = work(team, omp_get_thread_num(), phase);
			if (ns == 0)
				break;
			fgomp_sim_work(ns);
#pragma omp barrier
			if (passed && team == outer - 1 && omp_get_thread_num() == 0)
				passed[phase] = now_ns();
		}
	}
	return now_ns() - begin;
}

static unsigned
even(int team, int member, int phase)
{
	(void)team, (void)member, (void)phase;
	return WORK_NS;
}

static unsigned
once(int team, int member, int phase)
{
	(void)team, (void)member;
	return phase ? 0 : WORK_NS;
}

/* All teams but the last end. */
static unsigned
ends(int team, int member, int phase)
{
	(void)member;
	return team < outer - 1 && phase >= CHANGE ? 0 : WORK_NS;
}

/* The members of the last team have ever more to do, and those of the others ever less. */
static unsigned
late(int team, int member, int phase)
{
	(void)member;
	return phase < CHANGE ? WORK_NS : team == outer - 1 ? 2 * WORK_NS : WORK_NS / 20;
}

int
main(int argc, char **argv)
{
	if (argc != 5)
		return 2;
	outer = atoi(argv[2]);
	inner = atoi(argv[3]);
	phases = atoi(argv[4]);
	omp_set_max_active_levels(2);
	run(once, NULL);
	run(once, NULL);
	if (strcmp(argv[1], "even") == 0) {
		printf("%.0f\n", run(even, NULL));
		return 0;
	}
	double *passed = calloc((size_t)phases, sizeof *passed);
	run(strcmp(argv[1], "ends") == 0 ? ends : late, passed);
	for (int phase = 1; phase < phases; phase++)
		printf("%.0f\n", passed[phase] - passed[phase - 1]);
	free(passed);
	return 0;
}
