/* Twisted-STREAM (RenPar 2009; IPDPS 2010, tables V to VII): `twisted TWIST ITERATIONS ROUNDS HINTS [WHO]`.
 *
 * Four teams of four. In phase 1 each touches three vectors of its own, first. In phase 2 it goes through vectors of
 * the team behind it: all three (TWIST is 100), or one that it reads and the one that it writes (66). A round of
 * phase 2 is an outermost region, with so many iterations in each inner one. HINTS: of the rounds, so many tell what
 * the teams use. WHO tells: the members of the outer team and their inner teams (both), or only the inner ones
 * (inner). Or nothing is told, and the vectors go to their next touch (touch). It prints the nanoseconds of each
 * round. */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include "../../include/forestgomp.h"
#include "../../include/forestgomp/memory.h"

/* Only ForestGOMP has them. */
#pragma weak fgomp_add_next_team_area
#pragma weak fgomp_add_next_team_member_area
#pragma weak fgomp_pages_move
#pragma weak fgomp_pages_register
#pragma weak fgomp_sim_read
#pragma weak fgomp_sim_write

enum { TEAMS = 4, INNER = 4, PAGE = 4096, BYTES = 4096 << 10, PART = BYTES / INNER, WRITTEN = 0, VECTORS = 3 };

static char *vector[TEAMS][VECTORS];

/* Vector v of the team: its own, or that of the team behind it. */
static char *
used(int team, int v, int twist)
{
	int own = twist == 66 && v == VECTORS - 1;
	return vector[(team + !own) % TEAMS][v];
}

static unsigned
access_of(int v)
{
	return v == WRITTEN ? FGOMP_WRITE : FGOMP_READ;
}

/* a = b + s c, a page at a time. */
static void
triad(char *const *of, int member)
{
	for (int at = member * PART; at < (member + 1) * PART; at += PAGE) {
		fgomp_sim_read(of[1] + at, PAGE);
		fgomp_sim_read(of[2] + at, PAGE);
		fgomp_sim_write(of[WRITTEN] + at, PAGE);
	}
}

static void
phase1(void)
{
#pragma omp parallel num_threads(TEAMS)
	{
		char **own = vector[omp_get_thread_num()];
#pragma omp parallel num_threads(INNER)
		for (int v = 0; v < VECTORS; v++)
			fgomp_sim_write(own[v] + omp_get_thread_num() * PART, PART);
	}
}

/* All that phase 2 uses, also what lies well. */
static void
move_on_touch(int twist)
{
	for (int k = 0; k < TEAMS; k++)
		for (int v = 0; v < VECTORS; v++)
			fgomp_pages_move(used(k, v, twist), BYTES, FGOMP_PAGES_FIRST_TOUCH, NULL,
					 FGOMP_PAGES_ON_NEXT_TOUCH);
}

static void
phase2(int twist, int iterations, int hints, int outer)
{
	for (int k = 0; hints && outer && k < TEAMS; k++)
		for (int v = 0; v < VECTORS; v++)
			fgomp_add_next_team_member_area(k, used(k, v, twist), BYTES, access_of(v));
#pragma omp parallel num_threads(TEAMS)
	{
		char *of[VECTORS];
		for (int v = 0; v < VECTORS; v++) {
			of[v] = used(omp_get_thread_num(), v, twist);
			if (hints)
				fgomp_add_next_team_area(of[v], BYTES, access_of(v));
		}
#pragma omp parallel num_threads(INNER)
		for (int i = 0; i < iterations; i++) {
			triad(of, omp_get_thread_num());
#pragma omp barrier
		}
	}
}

int
main(int argc, char **argv)
{
	if (argc < 5)
		return 2;
	if (!fgomp_sim_read) {
		fprintf(stderr, "twisted: it runs on simulated machines only\n");
		return 2;
	}
	int twist = atoi(argv[1]), iterations = atoi(argv[2]), rounds = atoi(argv[3]), hints = atoi(argv[4]);
	const char *who = argc < 6 ? "both" : argv[5];
	int outer = strcmp(who, "inner") != 0, touch = strcmp(who, "touch") == 0;
	omp_set_max_active_levels(2);
	for (int team = 0; team < TEAMS; team++)
		for (int v = 0; v < VECTORS; v++)
			vector[team][v] = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	phase1();
	for (int team = 0; touch && team < TEAMS; team++)
		for (int v = 0; v < VECTORS; v++)
			fgomp_pages_register(vector[team][v], BYTES);
	for (int round = 0; round < rounds; round++) {
		double start = omp_get_wtime();
		if (touch && round < hints)
			move_on_touch(twist);
		phase2(twist, iterations, !touch && round < hints, outer);
		fprintf(stderr, "sample round ns %d %.0f\n", round, (omp_get_wtime() - start) * 1e9);
	}
	return 0;
}
