/* Going through memory, in all ways that the model of memory tells apart: `memory CASE [ARGUMENTS]`. Prints "NAME NANOSECONDS" for each step, in
 * virtual time. */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include "forestgomp.h"

#define PAGE 4096
#define LINE 64

/* Whole pages that nobody has touched. */
static char *
fresh(size_t bytes)
{
	return mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

static double began;

static void
begin(void)
{
	began = omp_get_wtime();
}

static void
end(const char *name, int i)
{
	printf("%s%d %.0f\n", name, i, (omp_get_wtime() - began) * 1e9);
}

/* The thread on each PU in turn goes through n bytes. */
static void
in_turn(const char *name, char *start, size_t bytes, int writes)
{
#pragma omp parallel
	for (int i = 0; i < omp_get_num_threads(); i++) {
		if (i == omp_get_thread_num()) {
			begin();
			(writes ? fgomp_sim_write : fgomp_sim_read)(start + (size_t)i * PAGE, bytes);
			end(name, i);
		}
#pragma omp barrier
	}
}

int
main(int argc, char **argv)
{
	const char *which = argc > 1 ? argv[1] : "";
	if (!strcmp(which, "latency")) {
		/* The first thread's pages, a page each for the others. */
		char *reads = fresh(PAGE * 64), *writes = fresh(PAGE * 64);
		for (int i = 0; i < 64; i++) {
			fgomp_sim_read(reads + i * PAGE + 8 * LINE, 1);
			fgomp_sim_read(writes + i * PAGE + 8 * LINE, 1);
		}
		in_turn("read", reads, 1, 0);
		in_turn("again", reads, 1, 0);
		in_turn("write", writes, 1, 1);
		in_turn("over", writes, 1, 1);
	} else
		return 2;
	return 0;
}
