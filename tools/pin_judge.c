/* Which of two programs is faster, by some runs of each. */
#include "pin.h"
#include <stdlib.h>
#include <string.h>

double
pin_least(const struct pin_candidate *candidate)
{
	double least = candidate->time[0];
	for (unsigned i = 1; i < candidate->runs; i++)
		least = candidate->time[i] < least ? candidate->time[i] : least;
	return least;
}

static int
by_size(const void *a, const void *b)
{
	const double *x = a, *y = b;
	return (*x > *y) - (*x < *y);
}

double
pin_median(const struct pin_candidate *candidate)
{
	double sorted[PIN_RUNS];
	unsigned first = candidate->first < candidate->runs ? candidate->first : 0, n = candidate->runs - first;
	memcpy(sorted, candidate->time + first, n * sizeof *sorted);
	qsort(sorted, n, sizeof *sorted, by_size);
	return n ? (sorted[(n - 1) / 2] + sorted[n / 2]) / 2 : 0;
}

/* ways[u]: how many of the orders of n_a and n_b runs have u pairs in which the run of b is faster. By the last run of
 * the order: it is one of a, which is slower than all n_b, or one of b. */
double
pin_chance(const double *a, unsigned n_a, const double *b, unsigned n_b)
{
	size_t most = (size_t)n_a * n_b;
	double pairs = 0, sum = 0, all = 0;
	if (!most || n_a > PIN_RUNS || n_b > PIN_RUNS)
		return 1;
	double *ways = calloc((n_a + 1) * (most + 1), sizeof *ways);
	if (!ways)
		return 1;
#define WAYS(i, u) ways[(i) * (most + 1) + (u)]
	for (unsigned i = 0; i <= n_a; i++)
		WAYS(i, 0) = 1;
	for (unsigned k = 1; k <= n_b; k++)
		for (unsigned i = 1; i <= n_a; i++)
			for (size_t u = most + 1; u-- > 0;)
				WAYS(i, u) = WAYS(i, u) + (u >= k ? WAYS(i - 1, u - k) : 0);
	for (unsigned i = 0; i < n_a; i++)
		for (unsigned k = 0; k < n_b; k++)
			pairs += a[i] >= b[k] ? 1 : 0; /* a tie speaks against a */
	for (size_t u = 0; u <= most; u++) {
		all += WAYS(n_a, u);
		sum += (double)u <= pairs ? WAYS(n_a, u) : 0;
	}
#undef WAYS
	free(ways);
	return sum / all;
}
