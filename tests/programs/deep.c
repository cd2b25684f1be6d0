// Eight levels of nested regions of two: 256 members at the bottom, the right ancestors all the way up.
// env: OMP_NUM_THREADS=2
// env: OMP_NUM_THREADS=2,2,2,2,2,2,2,2
// limit: 40
#include <omp.h>

#include "check.h"

static int leaves, barriers;

static void
level(int depth, int path)
{
	if (depth == 8) {
		CHECK(omp_get_level() == 8 && omp_get_active_level() == 8);
		for (int i = 1; i <= 8; i++)
			CHECK(omp_get_ancestor_thread_num(i) == (path >> (8 - i) & 1), "level %d of %x", i, path);
		__atomic_fetch_add(&leaves, 1, __ATOMIC_RELAXED);
		return;
	}
#pragma omp parallel num_threads(2)
	{
		CHECK(omp_get_num_threads() == 2);
		level(depth + 1, path << 1 | omp_get_thread_num());
#pragma omp barrier
		__atomic_fetch_add(&barriers, 1, __ATOMIC_RELAXED);
	}
}

int
main(void)
{
	omp_set_max_active_levels(8);
	for (int round = 0; round < 3; round++) {
		leaves = barriers = 0;
		level(0, 0);
		CHECK(leaves == 256 && barriers == 510, "%d %d", leaves, barriers);
	}
	return check_end();
}
