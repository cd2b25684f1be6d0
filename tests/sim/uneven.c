/* Teams of uneven loads, in the manner of a multi-zone solver: `uneven OUTER INNER STEPS [told [even]]`. In each step,
 * outer member k meets two inner regions of some 1/(k + 1) of the work of member 0, and then a barrier. even: of
 * 1/4. */
#include <omp.h>
#include <stdlib.h>
#include "forestgomp.h"

#pragma weak fgomp_set_next_team_load
#pragma weak fgomp_set_next_team_member_loads

enum { HEAVIEST = 800000, OUTER_MAX = 64 }; /* ns of an inner region of member 0 */

static void
region(double load, int inner, int told)
{
	if (told && fgomp_set_next_team_load)
		fgomp_set_next_team_load(load);
#pragma omp parallel num_threads(inner)
	fgomp_sim_work((unsigned long long)load / inner);
}

int
main(int argc, char **argv)
{
	int outer = argc > 3 ? atoi(argv[1]) : 20, inner = argc > 3 ? atoi(argv[2]) : 4,
	    steps = argc > 3 ? atoi(argv[3]) : 2;
	double loads[OUTER_MAX];
	omp_set_max_active_levels(2);
	for (int k = 0; k < outer && k < OUTER_MAX; k++)
		loads[k] = HEAVIEST / (argc > 5 ? 4 : k + 1.0);
	if (argc > 4 && fgomp_set_next_team_member_loads)
		fgomp_set_next_team_member_loads(outer, loads);
#pragma omp parallel num_threads(outer)
	for (int step = 0; step < steps; step++) {
		double load = loads[omp_get_thread_num() % OUTER_MAX];
		region(load, inner, argc > 4);
		region(load, inner, argc > 4);
#pragma omp barrier
	}
	return 0;
}
