// Sixteen members on four nodes, with each place list of the environment. A team in a team has one node each, and all
// meet in barriers. No policy and no steal takes a bound member off its node.
// threads: 16
// env: OMP_PLACES=numa_domains OMP_PROC_BIND=spread
// env: OMP_PLACES=sockets OMP_PROC_BIND=close
// env: OMP_PLACES=cores OMP_PROC_BIND=spread,close OMP_MAX_ACTIVE_LEVELS=2
// env: -
// limit: 30
#include "nodes.h"
#include <sched.h>
#include <string.h>

static int
node_here(void)
{
	unsigned cpu, node;
	CHECK(getcpu(&cpu, &node) == 0 && node == cpu / 4);
	return (int)node;
}

int
main(void)
{
	int seen[4] = {0}, came = 0, places = omp_get_num_places(), wrong = 0;
	const char *list = getenv("OMP_PLACES");
	read_allowed();
	CHECK(n_allowed == 4 && omp_get_num_procs() == 16);
	CHECK(places == (!list ? 0 : strcmp(list, "cores") == 0 ? 16 : 4), "%d places", places);
#pragma omp parallel reduction(+ : wrong)
	{
		for (int round = 1; round <= 3; round++) {
			__atomic_fetch_add(&came, 1, __ATOMIC_RELAXED);
#pragma omp barrier
			wrong += __atomic_load_n(&came, __ATOMIC_RELAXED) != 16 * round;
#pragma omp barrier
		}
		if (list) {
			int place = omp_get_place_num(), per_node = places / 4;
			CHECK(place == omp_get_thread_num() * places / 16, "member %d is in place %d",
			      omp_get_thread_num(), place);
			CHECK(node_here() == place / per_node, "member %d, of place %d, is on node %d",
			      omp_get_thread_num(), place, node_here());
			__atomic_fetch_add(&seen[node_here()], 1, __ATOMIC_RELAXED);
		}
	}
	CHECK(wrong == 0 && came == 48);
	for (int node = 0; list && node < 4; node++)
		CHECK(seen[node] == 4, "%d members on node %d", seen[node], node);
	if (omp_get_max_active_levels() == 1)
		return check_end();
	/* spread gives each of four a quarter of the places, close keeps its team in there. */
#pragma omp parallel num_threads(4)
	{
		int outer = node_here();
		CHECK(outer == omp_get_thread_num());
#pragma omp parallel num_threads(4)
		for (int i = 0; i < 3; i++) {
			CHECK(node_here() == outer, "on node %d, the team on %d", node_here(), outer);
			check_burn(1000);
#pragma omp barrier
		}
	}
	return check_end();
}
