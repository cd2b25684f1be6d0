/* A flat team whose first and third quarters have three times the load of the others: `quarters MEMBERS STEPS [told]`.
 * In each step all members work, and meet a barrier. */
#include <omp.h>
#include <stdlib.h>
#include "forestgomp.h"

#pragma weak fgomp_set_next_team_member_loads

enum { UNIT = 100000, MEMBERS_MAX = 64 }; /* ns of work of a light member */

int
main(int argc, char **argv)
{
	int members = argc > 2 ? atoi(argv[1]) : 16, steps = argc > 2 ? atoi(argv[2]) : 2;
	double loads[MEMBERS_MAX];
	for (int k = 0; k < members && k < MEMBERS_MAX; k++)
		loads[k] = k / (members / 4) % 2 ? 1 : 3;
	if (argc > 3 && fgomp_set_next_team_member_loads)
		fgomp_set_next_team_member_loads(members, loads);
#pragma omp parallel num_threads(members)
	for (int step = 0; step < steps; step++) {
		fgomp_sim_work((unsigned long long)loads[omp_get_thread_num() % MEMBERS_MAX] * UNIT);
#pragma omp barrier
	}
	return 0;
}
