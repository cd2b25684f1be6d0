// OMP_THREAD_LIMIT bounds the threads of a contention group, nested regions included, also those within a team of one.
// Each team of a league has a group of its own.
// env: OMP_THREAD_LIMIT=3 OMP_NUM_THREADS=8 OMP_MAX_ACTIVE_LEVELS=3
#include <omp.h>

#include "check.h"

/* A full team. Its members meet regions within teams of one, or within two of these. */
static void
through_teams_of_one(int levels)
{
	int inner = 0;
#pragma omp parallel num_threads(3)
	{
#pragma omp barrier
		if (omp_get_thread_num() == 1) {
#pragma omp parallel num_threads(1)
#pragma omp parallel num_threads(1) if (levels > 1)
#pragma omp parallel num_threads(4)
#pragma omp single
			inner = omp_get_num_threads();
		}
#pragma omp barrier
	}
	CHECK(inner == 1, "%d", inner);
}

static void
region_of_league(int *size)
{
#pragma omp parallel num_threads(1)
#pragma omp parallel num_threads(3)
#pragma omp single
	*size = omp_get_num_threads();
}

/* The groups of the league end with it. */
static void
league(void)
{
	int size[2] = {0}, after = 0;
#pragma omp teams num_teams(2) thread_limit(2)
	region_of_league(&size[omp_get_team_num()]);
	CHECK(size[0] == 2 && size[1] == 2, "%d and %d", size[0], size[1]);
#pragma omp parallel num_threads(1)
	region_of_league(&after);
	CHECK(after == 3, "%d", after);
}

int
main(void)
{
	int size = 0;

	CHECK(omp_get_thread_limit() == 3);
#pragma omp parallel reduction(+ : size)
	size++;
	CHECK(size >= 1 && size <= 3, "%d", size);
	for (int round = 0; round < 100; round++) {
		int most = 0, now = 0;

#pragma omp parallel num_threads(2)
#pragma omp parallel num_threads(4)
		{
			int n = __atomic_add_fetch(&now, 1, __ATOMIC_SEQ_CST);

			usleep(100);
#pragma omp critical
			most = n > most ? n : most;
			__atomic_sub_fetch(&now, 1, __ATOMIC_SEQ_CST);
		}
		CHECK(most <= 3, "%d at once", most);
	}
	for (int round = 0; round < 10; round++) {
		through_teams_of_one(1);
		through_teams_of_one(2);
		league();
	}
	return check_end();
}
