// The answers of the omp_get_ routines in nested regions: levels, sizes, ancestors; inactive levels count as levels.
// threads: 1 2 8
#include <omp.h>

#include "check.h"

int
main(void)
{
	int threads = omp_get_max_threads();
	double start = omp_get_wtime();

	CHECK(omp_get_level() == 0 && omp_get_active_level() == 0 && !omp_in_parallel() && !omp_in_final());
	CHECK(omp_get_ancestor_thread_num(0) == 0 && omp_get_team_size(0) == 1);
	CHECK(omp_get_ancestor_thread_num(1) == -1 && omp_get_team_size(1) == -1);
	CHECK(omp_get_ancestor_thread_num(-1) == -1 && omp_get_team_size(-1) == -1);
	CHECK(omp_get_num_procs() >= 1 && omp_get_wtick() > 0);
	CHECK(omp_get_supported_active_levels() > 2);
	CHECK(omp_get_num_teams() == 1 && omp_get_team_num() == 0);
	CHECK(omp_is_initial_device());
	omp_set_max_active_levels(3);
	CHECK(omp_get_max_active_levels() == 3 && omp_get_nested());

#pragma omp parallel
	{
		int outer = omp_get_thread_num();

#pragma omp parallel num_threads(2)
		{
			int middle = omp_get_thread_num();

#pragma omp parallel if (0)
#pragma omp parallel num_threads(3)
			{
				int active = (threads > 1) + 1 + 1;

				CHECK(omp_get_level() == 4, "%d", omp_get_level());
				CHECK(omp_get_active_level() == active, "%d", omp_get_active_level());
				CHECK(omp_get_ancestor_thread_num(1) == outer && omp_get_team_size(1) == threads);
				CHECK(omp_get_ancestor_thread_num(2) == middle && omp_get_team_size(2) == 2);
				CHECK(omp_get_ancestor_thread_num(3) == 0 && omp_get_team_size(3) == 1);
				CHECK(omp_get_ancestor_thread_num(4) == omp_get_thread_num());
				CHECK(omp_get_team_size(4) == omp_get_num_threads() && omp_get_num_threads() == 3);
				CHECK(omp_get_ancestor_thread_num(5) == -1);
			}
			CHECK(omp_get_thread_num() == middle && omp_get_num_threads() == 2 && omp_get_level() == 2);
		}
		CHECK(omp_get_thread_num() == outer && omp_get_num_threads() == threads && omp_get_level() == 1);
	}
	CHECK(omp_get_wtime() > start);
	return check_end();
}
