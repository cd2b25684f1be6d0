// LU factorisation by blocks, right-looking, without pivots (IPDPS 2010, section V). The matrix lies page by page round
// the nodes at first. Each step leaves out a row and a column of blocks, so the threads of the other blocks change a
// little from step to step. MARK=touch and MARK=write: after two steps, one call has the whole matrix follow its next
// touch, or its next write. Of the accesses to a matrix that stays round the nodes, 75% are remote.
// count: yes
// threads: 16
// env: OMP_PLACES=cores OMP_PROC_BIND=close FGOMP_MEMORY=hints HUGE=never MARK=touch
// env: OMP_PLACES=cores OMP_PROC_BIND=close FGOMP_MEMORY=hints HUGE=never MARK=write
// limit: 100
#include "../../include/forestgomp/memory.h"
#include "nodes.h"

#include "count.h"
#include <math.h>
#include <sys/mman.h>

#pragma weak fgomp_pages_move
#pragma weak fgomp_pages_register
#pragma weak fgomp_pages_unregister

enum { SIDE = 32, BLOCKS = 24, N = SIDE * BLOCKS, PAGE = 4096, NODES = 4, MARK_AFTER = 2, REMOTE = 50 };

typedef double block[SIDE][SIDE];
static block (*matrix)[BLOCKS];

static double
element(int i, int j)
{
	return i == j ? 2 * N : (double)((i * 7 + j * 3) % 11) / 11;
}

// One thread of each node touches every fourth page.
static void
interleave(void)
{
	size_t pages = sizeof(block[BLOCKS][BLOCKS]) / PAGE;
#pragma omp parallel
	{
		int each = (omp_get_num_threads() + NODES - 1) / NODES, me = omp_get_thread_num();
		for (size_t i = (size_t)(me / each); me % each == 0 && i < pages; i += NODES)
			((char *)matrix)[i * PAGE] = 0;
	}
#pragma omp parallel for collapse(2) schedule(static)
	for (int i = 0; i < N; i++)
		for (int j = 0; j < N; j++)
			matrix[i / SIDE][j / SIDE][i % SIDE][j % SIDE] = element(i, j);
}

static void
factor(block a)
{
	for (int k = 0; k < SIDE; k++)
		for (int i = k + 1; i < SIDE; i++) {
			a[i][k] /= a[k][k];
			for (int j = k + 1; j < SIDE; j++)
				a[i][j] -= a[i][k] * a[k][j];
		}
}

// b = L(a)^-1 b
static void
solve_row(block a, block b)
{
	for (int k = 0; k < SIDE; k++)
		for (int i = k + 1; i < SIDE; i++)
			for (int j = 0; j < SIDE; j++)
				b[i][j] -= a[i][k] * b[k][j];
}

// b = b U(a)^-1
static void
solve_column(block a, block b)
{
	for (int i = 0; i < SIDE; i++)
		for (int k = 0; k < SIDE; k++) {
			b[i][k] /= a[k][k];
			for (int j = k + 1; j < SIDE; j++)
				b[i][j] -= b[i][k] * a[k][j];
		}
}

static void
multiply(block c, block a, block b)
{
	for (int i = 0; i < SIDE; i++)
		for (int k = 0; k < SIDE; k++)
			for (int j = 0; j < SIDE; j++)
				c[i][j] -= a[i][k] * b[k][j];
}

static void
step(int k)
{
	factor(matrix[k][k]);
#pragma omp parallel
	{
#pragma omp for schedule(static) nowait
		for (int j = k + 1; j < BLOCKS; j++)
			solve_row(matrix[k][k], matrix[k][j]);
#pragma omp for schedule(static)
		for (int i = k + 1; i < BLOCKS; i++)
			solve_column(matrix[k][k], matrix[i][k]);
#pragma omp for collapse(2) schedule(static)
		for (int i = k + 1; i < BLOCKS; i++)
			for (int j = k + 1; j < BLOCKS; j++)
				multiply(matrix[i][j], matrix[i][k], matrix[k][j]);
	}
}

static void
mark(size_t bytes, const char *how)
{
	CHECK(fgomp_pages_register(matrix, bytes) == 0);
	CHECK(fgomp_pages_move(matrix, bytes, FGOMP_PAGES_FIRST_TOUCH, NULL,
			       *how == 't' ? FGOMP_PAGES_ON_NEXT_TOUCH : FGOMP_PAGES_ON_NEXT_WRITE) == 0);
}

// Each entry of the product of L and U is that of the matrix.
static void
check_some(void)
{
	for (int at = 0; at < 200; at++) {
		int i = at * 389 % N, j = at * 577 % N;
		double sum = 0;
		for (int k = 0; k <= i && k <= j; k++)
			sum += (k == i ? 1 : matrix[i / SIDE][k / SIDE][i % SIDE][k % SIDE]) *
			       matrix[k / SIDE][j / SIDE][k % SIDE][j % SIDE];
		CHECK(fabs(sum - element(i, j)) < 1e-9 * N, "(%d, %d): %g, not %g", i, j, sum, element(i, j));
	}
}

int
main(void)
{
	size_t bytes = sizeof(block[BLOCKS][BLOCKS]);
	const char *how = getenv("MARK");
	matrix = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	CHECK(matrix != MAP_FAILED);
	interleave();
	long moved = pages_moved();
	count_begin();
	count_area("matrix", matrix, bytes);
	count_phase("first");
	for (int k = 0; k < BLOCKS; k++) {
		if (k == MARK_AFTER) {
			count_phase("then");
			if (how)
				mark(bytes, how);
		}
		step(k);
	}
	count_end();
	count_note("%ld pages of %zu moved", pages_moved() - moved, bytes / PAGE);
	if (how)
		count_expect_remote("then", "matrix", REMOTE);
	if (how)
		CHECK(fgomp_pages_unregister(matrix) == 0);
	check_some();
	return check_end();
}
