// Twisted-STREAM (RenPar 2009; IPDPS 2010, table V) under the policy `memory`. Four teams of four touch three vectors
// of their own, first. Then each goes through those of the team behind it: all three (TWIST=100), or two of them
// (TWIST=66), and tells so before each region. Threads go to their data, and what is elsewhere then goes to them. The
// emulator takes PUs away for long, so those of other nodes must be patient.
// env: OMP_NUM_THREADS=4,4 OMP_MAX_ACTIVE_LEVELS=2 FGOMP_SCHED=memory,patience=1000 TWIST=100
// env: OMP_NUM_THREADS=4,4 OMP_MAX_ACTIVE_LEVELS=2 FGOMP_SCHED=memory,patience=1000 TWIST=66
// limit: 60
#include "settle.h"

#include "../../include/forestgomp.h"
#include <stdlib.h>

// Only ForestGOMP has them.
#pragma weak fgomp_add_next_team_area
#pragma weak fgomp_add_next_team_member_area

enum { TEAMS = 4, VECTORS = 3, WRITTEN = 0, BYTES = 4 << 20, N = BYTES / 8, STRIDE = 8, ITERATIONS = 4, ROUNDS = 6 };

#define MOST_REMOTE 0.08

static double *vector[TEAMS][VECTORS];
static int twist;

// Vector v of the team: its own, or that of the team behind it.
static double *
used(int team, int v)
{
	int own = twist == 66 && v == VECTORS - 1;
	return vector[(team + !own) % TEAMS][v];
}

static unsigned
access_of(int v)
{
	return v == WRITTEN ? FGOMP_WRITE : FGOMP_READ;
}

static void
touch(void)
{
#pragma omp parallel num_threads(TEAMS)
	{
		double **own = vector[omp_get_thread_num()];
#pragma omp parallel for schedule(static)
		for (int i = 0; i < N; i++)
			for (int v = 0; v < VECTORS; v++)
				own[v][i] = 1;
	}
}

// The pages that the member uses: where do they lie?
static void
ask(double *const *of)
{
	size_t first, count;
	settle_part(N / STRIDE, &first, &count);
	for (int v = 0; v < VECTORS; v++)
		settle_ask(of[v] + first * STRIDE, count * STRIDE * sizeof **of);
}

// a += b * c, one word of each line.
static void
triads(bool asks)
{
	for (int team = 0; fgomp_add_next_team_member_area && team < TEAMS; team++)
		for (int v = 0; v < VECTORS; v++)
			fgomp_add_next_team_member_area((unsigned)team, used(team, v), BYTES, access_of(v));
#pragma omp parallel num_threads(TEAMS)
	{
		double *of[VECTORS];
		for (int v = 0; v < VECTORS; v++) {
			of[v] = used(omp_get_thread_num(), v);
			if (fgomp_add_next_team_area)
				fgomp_add_next_team_area(of[v], BYTES, access_of(v));
		}
#pragma omp parallel
		{
			for (int iteration = 0; iteration < ITERATIONS; iteration++)
#pragma omp for schedule(static)
				for (int i = 0; i < N; i += STRIDE)
					of[WRITTEN][i] += of[1][i] * of[2][i];
			if (asks)
				ask(of);
		}
	}
}

int
main(void)
{
	twist = getenv("TWIST") ? atoi(getenv("TWIST")) : 100;
	for (int team = 0; team < TEAMS; team++)
		for (int v = 0; v < VECTORS; v++) {
			vector[team][v] = aligned_alloc(2 << 20, BYTES);
			CHECK(vector[team][v]);
		}
	touch();
	long before = pages_moved();
	for (int round = 0; round < ROUNDS; round++)
		triads(round == ROUNDS - 1);
	double share = settle_share();
	printf("%.1f%% lie badly, %ld of %d pages moved\n", 100 * share, pages_moved() - before,
	       TEAMS * VECTORS * BYTES / 4096);
	CHECK(share <= MOST_REMOTE, "%g", share);
	for (int team = 0; team < TEAMS; team++)
		for (int i = 0; i < N; i += STRIDE)
			CHECK(vector[team][WRITTEN][i] == 1 + ITERATIONS * ROUNDS);
	return check_end();
}
