/* Trees of small tasks whose leaves compute; us for a region with the whole tree, by all threads that OpenMP gives.
   `tasks_grain tree DEPTH STEPS`: a binary tree, and a leaf is a chain of STEPS dependent multiplications.
   `tasks_grain fib N CUT`: two tasks for a number above CUT, and plain calls below. It is made for simulated machines
   (docs/measurements/small-tasks.md); bench/run does not run it. */
#include <omp.h>
#include "bench.h"

enum { ROUNDS = 3 };

static long size, steps, cut, wrong;

static long
fib_plain(long n)
{
	return n < 2 ? n : fib_plain(n - 1) + fib_plain(n - 2);
}

static long
fib(long n)
{
	if (n <= cut)
		return fib_plain(n);
	long a, b;
#pragma omp task shared(a)
	a = fib(n - 1);
#pragma omp task shared(b)
	b = fib(n - 2);
#pragma omp taskwait
	return a + b;
}

static void
tree(long depth)
{
	if (depth == 0) {
		wrong |= bench_chain(1, steps) == 0;
		return;
	}
#pragma omp task
	tree(depth - 1);
#pragma omp task
	tree(depth - 1);
#pragma omp taskwait
}

static double
measure(long n)
{
	double start = omp_get_wtime();
	for (long i = 0; i < n; i++) {
#pragma omp parallel
#pragma omp single
		{
			if (cut)
				wrong |= fib(size) < 0;
			else
				tree(size);
		}
	}
	return (omp_get_wtime() - start) * 1e9;
}

int
main(int argc, char **argv)
{
	if (argc != 4 || (strcmp(argv[1], "tree") && strcmp(argv[1], "fib")))
		return bench_usage("tasks_grain tree DEPTH STEPS | fib N CUT");
	size = atol(argv[2]);
	*(strcmp(argv[1], "fib") ? &steps : &cut) = atol(argv[3]);
	double best = 0;
	for (int i = 0; i < ROUNDS; i++) {
		double ns = measure(1);
		best = best == 0 || ns < best ? ns : best;
	}
	bench_report(argv[1], "us", best / 1e3, best / 1e3, 0);
	return wrong != 0;
}
