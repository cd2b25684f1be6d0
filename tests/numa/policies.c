// The policies that distribute teams, on a machine of several nodes: nested teams of all shapes, with loads told and
// with barriers inside, do all their work.
// env: FGOMP_SCHED=affinity
// env: FGOMP_SCHED=cache,tuned
// env: FGOMP_SCHED=affinity+numa:cache
#include "../../include/forestgomp.h"
#include <omp.h>

#include "../programs/check.h"

#pragma weak fgomp_set_next_team_member_loads

static int
inner(int size, int depth)
{
	double loads[8] = {1, 2, 3, 4, 5, 6, 7, 8};
	int n = 0;

	if (fgomp_set_next_team_member_loads)
		fgomp_set_next_team_member_loads(8, loads);
#pragma omp parallel num_threads(size) reduction(+ : n)
	{
		if (depth)
			n += inner(3, depth - 1);
#pragma omp barrier
		n++;
	}
	return n;
}

int
main(void)
{
	omp_set_max_active_levels(4);
	for (int outer = 1; outer <= 20; outer += outer == 1 ? 3 : 16 - outer ? 12 : 4) {
		int n = 0;

#pragma omp parallel num_threads(outer) reduction(+ : n)
		for (int i = 0; i < 3; i++)
			n += inner(4 + i, 1);
		CHECK(n == outer * 15 * 4, "outer %d: %d", outer, n);
	}
	return check_end();
}
