// A nested solver: each member of the outer team has a block of its own, and sweeps over it with an inner team, again
// and again. The main thread has filled all blocks.
// count: yes
// env: OMP_NUM_THREADS=4,4 OMP_MAX_ACTIVE_LEVELS=2 FGOMP_SCHED=spread FGOMP_MEMORY=auto
// limit: 60
// again: pages move by samples
#include "settle.h"

enum { MIB = 32, HUGE_PAGE = 2 << 20, SWEEPS = 6, STRIDE = 8, REMOTE = 8 };

static double *all;
static size_t n_all = ((size_t)MIB << 20) / sizeof(double);

static double *
own_block(size_t *n)
{
	*n = n_all / (size_t)omp_get_num_threads();
	return all + (size_t)omp_get_thread_num() * *n;
}

// One word of each line, because memory moves by lines.
static void
solve(void)
{
#pragma omp parallel
	{
		size_t n;
		double *block = own_block(&n);
		for (int sweep = 0; sweep < SWEEPS; sweep++) {
#pragma omp parallel for schedule(static)
			for (size_t i = 0; i < n / STRIDE; i++)
				block[i * STRIDE] += 1;
		}
	}
}

static double
away(void)
{
#pragma omp parallel
	{
		size_t n;
		double *block = own_block(&n);
#pragma omp parallel
		{
			size_t first, count;
			settle_part(n / STRIDE, &first, &count);
			settle_ask(block + first * STRIDE, count * STRIDE * sizeof *block);
		}
	}
	return settle_share();
}

int
main(void)
{
	all = aligned_alloc(HUGE_PAGE, n_all * sizeof *all);
	CHECK(all);
	count_begin();
	count_area("blocks", all, n_all * sizeof *all);
	for (size_t i = 0; i < n_all; i++)
		all[i] = 0;
	size_t steps = settle(solve, away, 0.05);
	if (settle_moves())
		count_expect_remote("last", "*", REMOTE);
	for (size_t i = 0; i < n_all; i++)
		CHECK(all[i] == (i % STRIDE ? 0 : (double)(steps * SWEEPS)), "word %zu: %g", i, all[i]);
	free(all);
	return check_end();
}
