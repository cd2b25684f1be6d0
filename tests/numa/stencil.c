// A stencil of five points on a grid. Two arrays change their parts after each step, and the main thread has filled
// both. Each node's part is some huge pages.
// count: yes
// threads: 16
// env: FGOMP_MEMORY=auto
// limit: 60
// again: pages move by samples
#include "settle.h"

enum { ROWS = 2048, COLUMNS = 1024, HUGE_PAGE = 2 << 20, REMOTE = 8 };

typedef double row[COLUMNS];

static row *from, *to;

static void
sweep(void)
{
#pragma omp parallel for schedule(static)
	for (int i = 1; i < ROWS - 1; i++)
		for (int j = 1; j < COLUMNS - 1; j++)
			to[i][j] = (from[i - 1][j] + from[i + 1][j] + from[i][j - 1] + from[i][j + 1]) / 4 + 1;
	row *swap = from;
	from = to;
	to = swap;
}

static double
away(void)
{
#pragma omp parallel
	{
		size_t first, count;
		settle_part(ROWS - 2, &first, &count);
		settle_ask(from + 1 + first, count * sizeof(row));
		settle_ask(to + 1 + first, count * sizeof(row));
	}
	return settle_share();
}

// A plane stays a plane, but for what each step adds: so the interior far from the edges is known.
static void
fill(row *array)
{
	for (int i = 0; i < ROWS; i++)
		for (int j = 0; j < COLUMNS; j++)
			array[i][j] = i + 2 * j;
}

int
main(void)
{
	size_t bytes = ROWS * sizeof(row);
	from = aligned_alloc(HUGE_PAGE, bytes);
	to = aligned_alloc(HUGE_PAGE, bytes);
	CHECK(from && to);
	count_begin();
	count_area("one", from, bytes);
	count_area("other", to, bytes);
	fill(from);
	fill(to);
	int steps = (int)settle(sweep, away, 0.03);
	if (settle_moves())
		count_expect_remote("last", "*", REMOTE);
	for (int i = steps + 1; i < ROWS - 1 - steps; i++)
		for (int j = steps + 1; j < COLUMNS - 1 - steps; j++)
			CHECK(from[i][j] == i + 2 * j + steps, "(%d, %d) after %d steps: %g", i, j, steps, from[i][j]);
	free(from);
	free(to);
	return check_end();
}
