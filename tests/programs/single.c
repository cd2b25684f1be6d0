// single: one member each time; its barrier, nowait, copyprivate (scalars, arrays), also in nested regions.
// threads: 1 2 8 64
#include <omp.h>
#include <string.h>

#include "check.h"

int
main(void)
{
	int count = 0, loose = 0, threads = omp_get_max_threads();

#pragma omp parallel
	for (int round = 1; round <= 100; round++) {
		int value = -1, list[8] = {0};

#pragma omp single
		count++;
		CHECK(count == round, "%d in round %d", count, round);
#pragma omp barrier
#pragma omp single nowait
		__atomic_fetch_add(&loose, 1, __ATOMIC_RELAXED);
#pragma omp single copyprivate(value, list)
		{
			value = round * 3;
			for (int i = 0; i < 8; i++)
				list[i] = round + i;
		}
		CHECK(value == round * 3, "%d", value);
		for (int i = 0; i < 8; i++)
			CHECK(list[i] == round + i);
		value = list[3] = -1;
	}
	CHECK(count == 100 && loose == 100, "%d %d", count, loose);

	omp_set_max_active_levels(2);
#pragma omp parallel num_threads(threads < 4 ? threads : 4)
	for (int round = 0; round < 20; round++) {
		int outer = 0;

#pragma omp parallel num_threads(3) shared(outer)
		{
			int value = 0, who = omp_get_ancestor_thread_num(1);

#pragma omp single copyprivate(value)
			value = who + 1;
			CHECK(value == who + 1, "%d of %d", value, who);
#pragma omp atomic
			outer += value;
		}
		CHECK(outer == 3 * (omp_get_thread_num() + 1));
	}

	/* Outside any region: the caller alone. */
	int alone = 0;
#pragma omp single copyprivate(alone)
	alone = 5;
	CHECK(alone == 5);
	return check_end();
}
