/* The example of docs/reading-the-simulator.md: a Fibonacci number by a tree of tasks. `tree [CUTOFF]`: below it there are no
 * more tasks. */
#include <stdio.h>
#include <stdlib.h>

static int cutoff = 12;

static long
serial(int n)
{
	return n < 2 ? n : serial(n - 1) + serial(n - 2);
}

static long
tree(int n)
{
	long a, b;
	if (n < cutoff)
		return serial(n);
#pragma omp task shared(a)
	a = tree(n - 1);
#pragma omp task shared(b)
	b = tree(n - 2);
#pragma omp taskwait
	return a + b;
}

int
main(int argc, char **argv)
{
	long sum = 0;
	if (argc > 1)
		cutoff = atoi(argv[1]);
#pragma omp parallel
#pragma omp single
	sum = tree(32);
	printf("%ld\n", sum);
	return 0;
}
