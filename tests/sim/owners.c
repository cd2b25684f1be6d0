/* Data that change their owners while a region runs: `owners TEAMS INNER SWEEPS ROUNDS HINTS`, for TEAMS threads, or
 * teams of INNER threads. Each thread has touched 2 MB first. In each round it has the data of a thread of the next
 * team, or of the thread behind the next quarter of them, and goes through these SWEEPS times, with a barrier after
 * each. With HINTS it attaches itself to what it has now. It prints the nanoseconds of each round's last sweep, and of
 * the round. */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include "forestgomp.h"

#pragma weak fgomp_attach_area
#pragma weak fgomp_detach_area

enum { PAGE = 4096, PART = 2 << 20 };

static int teams, inner, sweeps, rounds, hints;
static char *data;

/* The parts of one team lie side by side. */
static char *
part_of(int team, int member, int round)
{
	int shift = inner > 1 ? 1 : teams / 4;
	return data + ((size_t)((team + round * shift) % teams) * (size_t)inner + (size_t)member) * PART;
}

static void
sweep(char *part)
{
	for (int at = 0; at < PART; at += PAGE)
		fgomp_sim_write(part + at, PAGE);
}

static void
work(int team, int member, int first)
{
	sweep(part_of(team, member, 0));
#pragma omp barrier
	for (int round = 0; round < rounds; round++) {
		char *part = part_of(team, member, round);
		if (hints)
			fgomp_attach_area(part, PART, FGOMP_READ_WRITE);
		double begun = omp_get_wtime(), last = begun;
		for (int i = 0; i < sweeps; i++) {
			last = omp_get_wtime();
			sweep(part);
#pragma omp barrier
		}
		double end = omp_get_wtime();
		if (first)
			fprintf(stderr, "sample owners ns %.0f %.0f\n", (end - last) * 1e9, (end - begun) * 1e9);
		if (hints)
			fgomp_detach_area(part, PART);
#pragma omp barrier
	}
}

int
main(int argc, char **argv)
{
	if (argc < 6)
		return 2;
	teams = atoi(argv[1]);
	inner = atoi(argv[2]);
	sweeps = atoi(argv[3]);
	rounds = atoi(argv[4]);
	hints = atoi(argv[5]);
	size_t bytes = (size_t)teams * (size_t)inner * PART;
	data = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	omp_set_max_active_levels(2);
#pragma omp parallel num_threads(teams)
	{
		int team = omp_get_thread_num();
		if (inner == 1)
			work(team, 0, team == 0);
		else
#pragma omp parallel num_threads(inner)
			work(team, omp_get_thread_num(), team == 0 && omp_get_thread_num() == 0);
	}
	return 0;
}
