/* Nested teams of the simplest kind, on a simulated machine: outer threads make teams of inner threads, again and
 * again.
 *
 *   teams OUTER INNER ROUNDS NS [own=BYTES] [shared=BYTES] [skew=N] [loads]
 *
 * Each member computes NS. It goes through `own` bytes of its own, the same in each round, and through `shared` bytes
 * of its team's. With INNER 0 the outer threads compute themselves, with a barrier after each round. skew: the last
 * outer thread computes N times as long as the first, and the others lie evenly between. `loads` tells that to the
 * runtime. */
#include <omp.h>
#include <sys/mman.h>
#include "../../include/forestgomp.h"
#include "../programs/bench.h"

#pragma weak fgomp_sim_work
#pragma weak fgomp_sim_read
#pragma weak fgomp_sim_write
#pragma weak fgomp_set_next_team_member_loads

enum { THREADS_MAX = 256 };

static int outer, inner, rounds, told;
static double ns, skew = 1;
static size_t own, shared;
static char *memory; /* never touched; for each outer thread: its team's memory, then its members' */
static double loads[THREADS_MAX];

static char *
team_memory(int team)
{
	return memory + (size_t)team * (shared + own * (inner ? inner : 1));
}

static void
member(int team, int number)
{
	char *mine = team_memory(team) + shared + (size_t)number * own;
	if (shared)
		fgomp_sim_read(team_memory(team), shared);
	if (own) {
		fgomp_sim_read(mine, own);
		fgomp_sim_write(mine, own);
	}
	fgomp_sim_work((unsigned long long)(ns * loads[team]));
}

static void
team_rounds(int team, int n)
{
	for (int r = 0; r < n; r++) {
		if (inner == 0) {
			member(team, 0);
#pragma omp barrier
			continue;
		}
#pragma omp parallel num_threads(inner)
		member(team, omp_get_thread_num());
	}
}

static void
all_rounds(int n)
{
	if (told)
		fgomp_set_next_team_member_loads((unsigned)outer, loads);
#pragma omp parallel num_threads(outer)
	team_rounds(omp_get_thread_num(), n);
}

static int
arguments_read(int argc, char **argv)
{
	if (argc < 5)
		return 0;
	outer = atoi(argv[1]);
	inner = atoi(argv[2]);
	rounds = atoi(argv[3]);
	ns = atof(argv[4]);
	for (int a = 5; a < argc; a++) {
		int end = 0, length = (int)strlen(argv[a]);
		if (!strcmp(argv[a], "loads")) {
			told = 1;
			continue;
		}
		sscanf(argv[a], "own=%zu%n", &own, &end);
		if (end != length)
			sscanf(argv[a], "shared=%zu%n", &shared, &end);
		if (end != length)
			sscanf(argv[a], "skew=%lf%n", &skew, &end);
		if (end != length)
			return 0;
	}
	return outer >= 1 && outer <= THREADS_MAX && inner >= 0 && inner <= THREADS_MAX && rounds >= 1 && ns >= 0 &&
	       skew >= 1;
}

int
main(int argc, char **argv)
{
	if (!arguments_read(argc, argv))
		return bench_usage("teams OUTER INNER ROUNDS NS [own=BYTES] [shared=BYTES] [skew=N] [loads], OUTER "
				   "from 1 and INNER from 0 to 256");
	if (!fgomp_sim_work || !fgomp_sim_read || !fgomp_sim_write) {
		fputs("teams: it is for ForestGOMP's simulated machine; this runtime has none; nothing was measured\n",
		      stderr);
		return 2;
	}
	omp_set_max_active_levels(2);
	size_t bytes = (size_t)outer * (shared + own * (inner ? inner : 1)) + 1;
	memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (memory == MAP_FAILED) {
		fprintf(stderr, "teams: there is no room for %zu bytes\n", bytes);
		return 1;
	}
	for (int t = 0; t < outer; t++)
		loads[t] = 1 + (outer > 1 ? (skew - 1) * t / (outer - 1) : 0);
	/* The first round makes the teams and touches the memory. */
	all_rounds(1);
	double start = bench_now();
	all_rounds(rounds);
	double took = (bench_now() - start) / rounds;
	bench_report("round", "us", took / 1e3, took / 1e3, 0);
	return 0;
}
