// Region after region a member makes tasks. What the runtime keeps for them is used again: the program does not grow.
// threads: 2
#include <omp.h>
#include <stdio.h>
#include <unistd.h>
#include "check.h"

#define REGIONS 100000
#define MOST_KB 2048 /* what leaks of 64 bytes a region would need is 6400 */

static long
resident_kb(void)
{
	long size, resident = 0;
	FILE *file = fopen("/proc/self/statm", "r");
	CHECK(file && fscanf(file, "%ld %ld", &size, &resident) == 2);
	fclose(file);
	return resident * (sysconf(_SC_PAGESIZE) / 1024);
}

static void
region(void)
{
	int done = 0;
#pragma omp parallel
#pragma omp master
	for (int i = 0; i < 2; i++) {
#pragma omp task shared(done)
#pragma omp atomic
		done++;
	}
	CHECK(done == 2);
}

int
main(void)
{
	for (int i = 0; i < 1000; i++)
		region();
	long before = resident_kb();
	for (int i = 0; i < REGIONS; i++)
		region();
	CHECK(resident_kb() - before < MOST_KB);
	return check_end();
}
