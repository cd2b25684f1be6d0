// Memory that lies well stays: each thread has touched its own part first. Nothing is told and nothing is asked for.
// threads: 16
// env: HUGE=never
// limit: 60
#include "nodes.h"
#include <sys/mman.h>

enum { MIB = 24, LINE = 64, SECONDS = 12 };

static char *array;
static const size_t bytes = (size_t)MIB << 20;

static void
sweep(void)
{
#pragma omp parallel for schedule(static)
	for (size_t i = 0; i < bytes; i += LINE)
		array[i]++;
}

int
main(void)
{
	array = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	CHECK(array != MAP_FAILED);
	sweep();
	long moved = pages_moved();
	double begun = check_now();
	size_t sweeps = 0;
	for (; check_now() - begun < SECONDS; sweeps++)
		sweep();
	moved = pages_moved() - moved;
	printf("%zu sweeps, %ld pages moved\n", sweeps, moved);
	CHECK(moved <= MIB * 256 / 100, "%ld pages moved", moved);
	return check_end();
}
