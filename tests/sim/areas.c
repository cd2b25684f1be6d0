/* Areas on a machine of two nodes of two PUs: the first touch places their pages, or the partition of an allocator
 * does. `areas touched`, `areas PARTITION`, `areas rate LINES`. They run under tests/sim/plugins/looks.c, which tells
 * at each nested region where the areas lie. */
#include <omp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include "forestgomp.h"

#pragma weak fgomp_add_next_team_area

enum { PAGE = 4096, PAGES = 10 };

static char *
fresh(size_t bytes)
{
	return mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

/* A nested region attached to it: the scheduler looks. */
static void
show(char *start, size_t bytes)
{
	fgomp_add_next_team_area(start, bytes, FGOMP_READ);
#pragma omp parallel num_threads(2)
	fgomp_sim_work(1000);
}

static void
touched(void)
{
	char *block = fresh(PAGES * PAGE);
#pragma omp parallel num_threads(4)
	{
		if (omp_get_thread_num() == 0)
			fgomp_sim_write(block, 3 * PAGE);
		if (omp_get_thread_num() == 3)
			fgomp_sim_read(block + 3 * PAGE, 5 * PAGE);
#pragma omp barrier
		if (omp_get_thread_num() == 0) {
			show(block, PAGES * PAGE);
			show(block + 2 * PAGE + 100, 2 * PAGE);
		}
	}
}

/* Thread 3 asks for the block, and thread 0 touches it; then memory is mapped anew at the same address. */
static void
wanted(omp_alloctrait_value_t partition)
{
	omp_alloctrait_t trait = {omp_atk_partition, partition};
	omp_allocator_handle_t allocator = omp_init_allocator(omp_default_mem_space, 1, &trait);
	char *block = NULL;
#pragma omp parallel num_threads(4)
	{
		if (omp_get_thread_num() == 3)
			block = omp_alloc(8 * PAGE, allocator);
#pragma omp barrier
		if (omp_get_thread_num() == 0) {
			show(block, 8 * PAGE);
			fgomp_sim_write(block, 8 * PAGE);
			show(block, 8 * PAGE);
			omp_free(block, allocator);
			char *page = (char *)((uintptr_t)block & ~(uintptr_t)(PAGE - 1));
			char *again = mmap(page, 8 * PAGE, PROT_READ | PROT_WRITE,
					   MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
			fgomp_sim_write(again, 8 * PAGE);
			show(again, 8 * PAGE);
		}
	}
	omp_destroy_allocator(allocator);
}

/* Thread 1 goes through so many lines of node 1, each time anew; thread 2, on node 1, through as many near it. */
static void
rate(size_t lines)
{
	char *far = fresh(lines * 64), *near = fresh(lines * 64);
#pragma omp parallel num_threads(4)
	{
		if (omp_get_thread_num() == 0)
			show(near, 64); /* the machine's levels are read */
		if (omp_get_thread_num() == 3)
			for (size_t at = 0; at < lines * 64; at += PAGE)
				fgomp_sim_read(far + at + PAGE - 1, 1);
#pragma omp barrier
		if (omp_get_thread_num() == 1)
			fgomp_sim_read(far, lines * 64);
		if (omp_get_thread_num() == 2)
			fgomp_sim_read(near, lines * 64);
	}
}

int
main(int argc, char **argv)
{
	const char *which = argc > 1 ? argv[1] : "";
	omp_set_max_active_levels(2);
	if (!strcmp(which, "touched"))
		touched();
	else if (!strcmp(which, "nearest"))
		wanted(omp_atv_nearest);
	else if (!strcmp(which, "blocked"))
		wanted(omp_atv_blocked);
	else if (!strcmp(which, "interleaved"))
		wanted(omp_atv_interleaved);
	else if (!strcmp(which, "rate") && argc > 2)
		rate(strtoul(argv[2], NULL, 10));
	else
		return 2;
	return 0;
}
