/* Large flat teams on machines of several caches. `groups check MEMBERS`: barriers that members reach at different
 * times, with and without tasks, and teams whose size changes. It prints "right", or what is wrong. `groups barrier
 * MEMBERS` and `groups region MEMBERS`: the time of one in nanoseconds, beside 100 ns of work. `groups asleep
 * MEMBERS`: the time of a region after 1 ms without one. `groups first MEMBERS`: that of the first region, which starts
 * the workers. `groups teams INNER OUTER`: of OUTER teams of INNER members each, ns for each region with 4 barriers,
 * beside its work. `groups sizes MEMBERS OTHER`: of regions of the two sizes by turns, beside 20 us of work. */
#include <omp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "forestgomp.h"

#define MOST 512
#define PHASES 6
#define TIMES 40
#define SERIAL_NS 1000000

static int arrived[MOST], faults;

/* Some members are late by up to 3 us, one in some phases by 60. */
static void
be_late(int member, int phase)
{
	unsigned mixed = (unsigned)(member * 7 + phase * 13) % 31;
	fgomp_sim_work(mixed * 100);
	if (phase % 3 == 2 && member == phase)
		fgomp_sim_work(60000);
}

static void
fault(const char *what, int member, int phase)
{
#pragma omp atomic
	faults++;
	printf("%s: member %d, phase %d\n", what, member, phase);
}

/* Each member writes its word before the barrier, and reads those of all after it. */
static void
barriers(int size)
{
	memset(arrived, 0, sizeof arrived);
#pragma omp parallel num_threads(size)
	for (int phase = 1, me = omp_get_thread_num(); phase <= PHASES; phase++) {
		be_late(me, phase);
		__atomic_store_n(&arrived[me], phase, __ATOMIC_RELAXED);
#pragma omp barrier
		for (int k = 0; k < size; k++)
			if (__atomic_load_n(&arrived[k], __ATOMIC_RELAXED) != phase)
				fault("a barrier is passed early", k, phase);
#pragma omp barrier
	}
	for (int k = 0; k < size; k++)
		if (arrived[k] != PHASES)
			fault("a region ends early", k, PHASES);
}

/* Tasks of all members, and late ones of one: each is complete behind the barrier. */
static void
tasks(int size)
{
	int ran = 0, made = 0;
#pragma omp parallel num_threads(size)
	for (int phase = 1, me = omp_get_thread_num(); phase <= PHASES; phase++) {
		for (int k = 0; k < (me == phase ? 50 : me % 3); k++) {
#pragma omp atomic
			made++;
#pragma omp task shared(ran)
			{
				fgomp_sim_work(300);
#pragma omp atomic
				ran++;
			}
		}
		be_late(me, phase);
#pragma omp barrier
		if (__atomic_load_n(&ran, __ATOMIC_RELAXED) != __atomic_load_n(&made, __ATOMIC_RELAXED))
			fault("a task is late", me, phase);
#pragma omp barrier
	}
}

static void
regions(int size)
{
	for (int i = 0; i < 6; i++) {
		int sum = 0, members = i % 2 ? size : 1 + size * (i + 1) / 7;
#pragma omp parallel num_threads(members) reduction(+ : sum)
		{
			be_late(omp_get_thread_num(), i);
			sum += omp_get_thread_num() + 1;
		}
		if (sum != members * (members + 1) / 2)
			fault("a region ends early", members, i);
	}
}

static double
timed(const char *what, int size)
{
	double begin = 0;
	for (int warm = 0; warm < 2; warm++) {
		begin = omp_get_wtime();
		if (strcmp(what, "barrier") == 0) {
#pragma omp parallel num_threads(size)
			for (int i = 0; i < TIMES; i++) {
				fgomp_sim_work(100);
#pragma omp barrier
			}
		} else {
			for (int i = 0; i < TIMES; i++) {
#pragma omp parallel num_threads(size)
				fgomp_sim_work(100);
			}
		}
	}
	return (omp_get_wtime() - begin) * 1e9 / TIMES - 100;
}

static double
timed_asleep(int size)
{
	double took = 0;
	for (int i = 0; i < 4; i++) {
		fgomp_sim_work(SERIAL_NS);
		double begin = omp_get_wtime();
#pragma omp parallel num_threads(size)
		fgomp_sim_work(100);
		took += i ? omp_get_wtime() - begin : 0; /* the first one starts the workers */
	}
	return took * 1e9 / 3;
}

static double
first(int size)
{
	double begin = omp_get_wtime();
#pragma omp parallel num_threads(size)
	;
	return (omp_get_wtime() - begin) * 1e9;
}

#define TEAMS 10    /* that each outer member meets */
#define BARRIERS 4  /* of each */
#define WORK 20000u /* ns before each barrier */

static double
teams(int inner, int outer)
{
	double begin = 0;
	omp_set_max_active_levels(2);
	for (int warm = 0; warm < 2; warm++) {
		begin = omp_get_wtime();
#pragma omp parallel num_threads(outer)
		for (int i = 0; i < TEAMS; i++)
#pragma omp parallel num_threads(inner)
			for (int k = 0; k < BARRIERS; k++) {
				fgomp_sim_work(WORK);
#pragma omp barrier
			}
	}
	return (omp_get_wtime() - begin) * 1e9 / TEAMS - BARRIERS * WORK;
}

static double
sizes(int one, int other)
{
	double begin = 0;
	for (int warm = 0; warm < 2; warm++) {
		begin = omp_get_wtime();
		for (int i = 0; i < TIMES; i++) {
#pragma omp parallel num_threads(i % 2 ? other : one)
			fgomp_sim_work(WORK);
		}
	}
	return (omp_get_wtime() - begin) * 1e9 / TIMES - WORK;
}

int
main(int argc, char **argv)
{
	int size = argc >= 3 ? atoi(argv[2]) : 0;
	if (size < 1 || size > MOST)
		return 2;
	if (strcmp(argv[1], "first") == 0 || argc == 4) {
		bool turns = strcmp(argv[1], "sizes") == 0;
		printf("%.0f\n", argc < 4 ? first(size) : turns ? sizes(size, atoi(argv[3])) : teams(size, atoi(argv[3])));
		return 0;
	}
	if (strcmp(argv[1], "check") != 0) {
		printf("%.0f\n", strcmp(argv[1], "asleep") == 0 ? timed_asleep(size) : timed(argv[1], size));
		return 0;
	}
	barriers(size);
	tasks(size);
	regions(size);
	barriers(size / 2 + 1);
	if (!faults)
		puts("right");
	return faults != 0;
}
