// The module of late.c: sweeps over memory that somebody else has filled.
#include "settle.h"

enum { REMOTE = 15 };

int compute(double *memory, size_t length);

static double *array;
static size_t n, sweeps;

static void
sweep(void)
{
	sweeps++;
#pragma omp parallel for schedule(static)
	for (size_t i = 0; i < n; i++)
		array[i] += 1;
}

static double
away(void)
{
#pragma omp parallel
	{
		size_t first, count;
		settle_part(n, &first, &count);
		settle_ask(array + first, count * sizeof *array);
	}
	return settle_share();
}

// The main thread has filled the memory with ones. Returns the exit status.
int
compute(double *memory, size_t length)
{
	array = memory;
	n = length;
	count_begin();
	count_area("array", array, n * sizeof *array);
	settle(sweep, away, 0.05);
	if (settle_moves())
		count_expect_remote("last", "*", REMOTE);
	for (size_t i = 0; i < n; i++)
		CHECK(array[i] == 1 + (double)sweeps, "%zu: %g after %zu sweeps", i, array[i], sweeps);
	return check_end();
}
