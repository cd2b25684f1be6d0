// proc_bind clauses and places: each member in one place of the list, its kernel mask within it; primary stays with the
// master. A team of one has a place, but its thread is not bound.
// threads: 1 2 8
// env: -
// env: OMP_PLACES=threads
// env: OMP_PLACES=cores OMP_PROC_BIND=spread
// env: OMP_PLACES={0},{1} OMP_PROC_BIND=close
// env: OMP_PROC_BIND=true
#define _GNU_SOURCE
#include <omp.h>
#include <sched.h>

#include "check.h"

static void
placed(int want)
{
	int place = omp_get_place_num(), places = omp_get_num_places(), cpu = sched_getcpu();

	if (!places)
		return;
	CHECK(place >= 0 && place < places, "place %d of %d", place, places);
	int count = omp_get_place_num_procs(place), ids[1024], found = 0;

	CHECK(count > 0 && count <= 1024);
	omp_get_place_proc_ids(place, ids);
	for (int i = 0; i < count; i++)
		found |= ids[i] == cpu;
	CHECK(found || !omp_in_parallel(), "on CPU %d, not in place %d", cpu, place);
	if (want >= 0)
		CHECK(place == want, "place %d, not %d", place, want);
}

int
main(void)
{
	int bind = omp_get_proc_bind();

	CHECK(bind >= omp_proc_bind_false && bind <= omp_proc_bind_spread);
	for (int round = 0; round < 5; round++) {
		int here, members = 0;

#pragma omp parallel
		{
			placed(-1);
#pragma omp atomic
			members++;
		}
		CHECK(members == omp_get_max_threads());
		here = omp_get_place_num();
#pragma omp parallel proc_bind(primary)
		placed(bind ? here : -1);
#pragma omp parallel proc_bind(close)
		{
			if (bind)
				placed(-1);
			int first = omp_get_partition_num_places();

			CHECK(first >= 0 && first <= omp_get_num_places());
		}
#pragma omp parallel proc_bind(spread)
		if (bind)
			placed(-1);
	}
	return check_end();
}
