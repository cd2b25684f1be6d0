/* Memory of forestgomp/memory.h: `managed HOW STRICT KIB` allocates on node 0 and 1, touches all of it on PU 0, and
 * moves it to node 1. It prints the pages of the nodes before and after, the time of the move in ns, and the costs and
 * room that the library tells. */
#include <errno.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

#include "forestgomp.h"
#include "forestgomp/memory.h"

enum { PAGE = 4096 };

static void
located(const char *start, size_t bytes)
{
	size_t on[2];
	int error = fgomp_pages_locate(start, bytes, on, 2);
	printf("pages %d %zu %zu\n", error, on[0] / PAGE, on[1] / PAGE);
}

int
main(int argc, char **argv)
{
	unsigned nodes[] = {0, 1}, weights[] = {1, 3};
	unsigned flags = argc > 2 && atoi(argv[2]) ? FGOMP_PAGES_STRICT : 0;
	size_t bytes = argc > 3 ? (size_t)atoi(argv[3]) << 10 : PAGE;
	struct fgomp_pages_wish wish = {2, nodes, weights, flags}, second = {1, nodes + 1, NULL, flags};
	printf("room %zu %zu\n", fgomp_pages_room(0) >> 10, fgomp_pages_room(1) >> 10);
	char *start = fgomp_pages_alloc(bytes, (enum fgomp_pages_placement)atoi(argv[1]), &wish);
	if (!start) {
		printf("error %s\n", errno == ENOMEM ? "ENOMEM" : "?");
		return 0;
	}
#pragma omp parallel num_threads(4)
#pragma omp masked
	fgomp_sim_write(start, bytes);
	located(start, bytes);
	printf("room %zu %zu\n", fgomp_pages_room(0) >> 10, fgomp_pages_room(1) >> 10);
	double begin = omp_get_wtime();
	int error = fgomp_pages_move(start, bytes, FGOMP_PAGES_NODE, &second, FGOMP_PAGES_IN_BACKGROUND);
	double end = omp_get_wtime();
	printf("moved %d %.0f\n", error, 1e9 * (end - begin));
	located(start, bytes);
	printf("cost %u %u %llu\n", fgomp_pages_access_cost(0, 0), fgomp_pages_access_cost(0, 1),
	       fgomp_pages_move_cost(100 * PAGE, 0, 1));
	return fgomp_pages_free(start);
}
