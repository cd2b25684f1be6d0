/* Trees of teams that all run on one node, because a team on the other node computes. `subtrees SHAPE...`: each SHAPE
 * is a tree MxN: a member that opens a region of M, whose members each open one of N (N 1: they do not). Their threads
 * wait for a thread that computes alone. Meanwhile the other team ends. Afterwards all compute. */
#include <omp.h>
#include <stdio.h>
#include "forestgomp.h"

#define US 1000
#define PUS 4 /* of a node */

static omp_lock_t gate;

static void
compute(void)
{
	fgomp_sim_work(20 * US);
	omp_set_lock(&gate);
	omp_unset_lock(&gate);
	for (int phase = 0; phase < 5; phase++)
		fgomp_sim_work(200 * US);
}

static void
tree(int members, int each)
{
#pragma omp parallel num_threads(members)
	if (each == 1)
		compute();
	else {
#pragma omp parallel num_threads(each)
		compute();
	}
}

static void
trees(int n, char **shapes)
{
#pragma omp parallel num_threads(n + 1)
	{
		int tree_of = omp_get_thread_num(), members = 1, each = 1;
		if (tree_of == 0)
			omp_set_lock(&gate);
		else
			sscanf(shapes[tree_of - 1], "%dx%d", &members, &each);
#pragma omp barrier
		if (tree_of) {
			tree(members, each);
		} else {
			fgomp_sim_work(4000 * US);
			omp_unset_lock(&gate);
		}
	}
}

static void
busy(unsigned us)
{
#pragma omp parallel num_threads(PUS)
	fgomp_sim_work(us * US);
}

int
main(int argc, char **argv)
{
	omp_init_lock(&gate);
	omp_set_max_active_levels(4);
	for (int turn = 0; turn < 3; turn++) {
#pragma omp parallel num_threads(2)
		if (turn < 2 || omp_get_thread_num()) {
			busy(turn < 2 ? 200 : 2000);
		} else {
			fgomp_sim_work(200 * US);
			trees(argc - 1, argv + 1);
		}
	}
	return 0;
}
