// Products of a sparse matrix and a vector, y = A x, then x = y / 4. The matrix is in rows (CSR). All arrays come from
// malloc, and the main thread has filled them. Each row has five entries, as those of a grid have: the part of the
// vector that a thread reads is nearly its own. Huge pages would be shared by several nodes, so there are none.
// count: yes
// threads: 16
// env: FGOMP_MEMORY=auto HUGE=never
// limit: 60
// again: pages move by samples
#include "settle.h"

enum { SIDE = 500, ROWS = SIDE * SIDE, ENTRIES = 5 * ROWS, REMOTE = 8 };

static int *begin_of, *column;
static double *entry, *x, *y;

static void
fill(void)
{
	static const int next[] = {-SIDE, -1, 0, 1, SIDE};
	int n = 0;
	for (int row = 0; row < ROWS; row++) {
		begin_of[row] = n;
		for (int i = 0; i < 5; i++) {
			column[n] = (row + next[i] + ROWS) % ROWS;
			entry[n++] = next[i] ? 0.5 : 2;
		}
		x[row] = 1;
		y[row] = 0;
	}
	begin_of[ROWS] = n;
}

static void
product(void)
{
#pragma omp parallel for schedule(static)
	for (int row = 0; row < ROWS; row++) {
		double sum = 0;
		for (int i = begin_of[row]; i < begin_of[row + 1]; i++)
			sum += entry[i] * x[column[i]];
		y[row] = sum;
	}
#pragma omp parallel for schedule(static)
	for (int row = 0; row < ROWS; row++)
		x[row] = y[row] / 4;
}

static double
away(void)
{
#pragma omp parallel
	{
		size_t first, count;
		settle_part(ROWS, &first, &count);
		settle_ask(entry + 5 * first, 5 * count * sizeof *entry);
		settle_ask(column + 5 * first, 5 * count * sizeof *column);
		settle_ask(begin_of + first, count * sizeof *begin_of);
		settle_ask(x + first, count * sizeof *x);
		settle_ask(y + first, count * sizeof *y);
	}
	return settle_share();
}

static void *
get(const char *name, size_t bytes)
{
	void *array = malloc(bytes);
	CHECK(array);
	count_area(name, array, bytes);
	return array;
}

int
main(void)
{
	count_begin();
	begin_of = get("begin", (ROWS + 1) * sizeof *begin_of);
	column = get("column", ENTRIES * sizeof *column);
	entry = get("entry", ENTRIES * sizeof *entry);
	x = get("x", ROWS * sizeof *x);
	y = get("y", ROWS * sizeof *y);
	fill();
	settle(product, away, 0.04);
	if (settle_moves())
		count_expect_remote("last", "*", REMOTE);
	for (int row = 0; row < ROWS; row++)
		CHECK(x[row] == 1 && y[row] == 4, "row %d: %g", row, x[row]);
	free(begin_of);
	free(column);
	free(entry);
	free(x);
	free(y);
	return check_end();
}
