/* Pages that wait for their next touch: `next_touch WHEN` has 128 pages on node 0. They wait for the next touch (2) or
 * write (3). A member on each node goes through its half: it reads, and then writes. It prints after each step the
 * pages of the nodes and the time in ns that the member on node 1 has taken. */
#include <omp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "forestgomp.h"
#include "forestgomp/memory.h"

enum { PAGE = 4096, WINDOW = 64 * PAGE, BYTES = 2 * WINDOW };

static void
step(char *start, int writes)
{
	size_t on[2];
	double took = 0;
#pragma omp parallel num_threads(2) proc_bind(spread)
	{
		char *mine = start + omp_get_thread_num() * (BYTES / 2);
		double begin = omp_get_wtime();
		if (writes)
			fgomp_sim_write(mine, BYTES / 2);
		else
			fgomp_sim_read(mine, BYTES / 2);
		if (omp_get_thread_num())
			took = omp_get_wtime() - begin;
	}
	int error = fgomp_pages_locate(start, BYTES, on, 2);
	printf("%s %d %zu %zu %.0f\n", writes ? "write" : "read", error, on[0] / PAGE, on[1] / PAGE, 1e9 * took);
}

int
main(int argc, char **argv)
{
	int when = argc > 1 ? atoi(argv[1]) : 0;
	char *mapped = fgomp_pages_alloc(BYTES + WINDOW, FGOMP_PAGES_FIRST_TOUCH, NULL);
	char *start = mapped + WINDOW - (uintptr_t)mapped % WINDOW;
	fgomp_sim_write(start, BYTES);
	step(start, 0);
	if (when)
		fgomp_pages_move(start, BYTES, FGOMP_PAGES_FIRST_TOUCH, NULL, (enum fgomp_pages_when)when);
	step(start, 0);
	step(start, 0);
	step(start, 1);
	step(start, 1);
	return fgomp_pages_free(mapped);
}
