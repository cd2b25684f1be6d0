/* Computing that is timed: `figures tasks N`: tasks of a recursion; `figures loops N`, `figures nested N`: N rounds. */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void
compute(long turns)
{
	unsigned long seed = 1;
	for (long i = 0; i < turns; i++) {
		seed = seed * 0x9e3779b97f4a7c15ul + 1;
		__asm__ volatile("" : "+r"(seed));
	}
}

static long
numbers(int n)
{
	return n < 2 ? n : numbers(n - 1) + numbers(n - 2);
}

static long
tree(int n)
{
	long a, b;
	if (n < 12)
		return numbers(n);
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
	const char *kind = argc > 2 ? argv[1] : "";
	int n = argc > 2 ? atoi(argv[2]) : 0;
	long sum = 0;
	omp_set_max_active_levels(2);
	if (!strcmp(kind, "tasks")) {
#pragma omp parallel
#pragma omp single
		sum = tree(n);
	} else if (!strcmp(kind, "loops")) {
		for (int i = 0; i < n; i++) {
#pragma omp parallel for schedule(dynamic, 1)
			for (int j = 0; j < 1024; j++)
				compute(8000);
		}
	} else if (!strcmp(kind, "nested")) {
		for (int i = 0; i < n; i++) {
#pragma omp parallel num_threads(16)
#pragma omp parallel for num_threads(16) schedule(dynamic)
			for (int j = 0; j < 64; j++)
				compute(8000);
		}
	} else
		return 2;
	printf("%ld\n", sum);
	return 0;
}
