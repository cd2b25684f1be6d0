/* A short program of fixed work, as test suites start many: short MILLISECONDS. So long it takes on one PU of 3 GHz or
 * so, in regions of some 0.2 ms, each with two loops and the barriers behind them. */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

enum { CHUNKS = 64, TURNS = 2000 };

int
main(int argc, char **argv)
{
	int regions = argc > 1 ? atoi(argv[1]) * 5 : 0;
	double sum = 0;
	if (regions <= 0) {
		fputs("short: give the milliseconds of work\n", stderr);
		return 2;
	}
	for (int region = 0; region < regions; region++)
#pragma omp parallel reduction(+ : sum)
	{
		for (int half = 0; half < 2; half++) {
#pragma omp for
			for (int chunk = 0; chunk < CHUNKS / 2; chunk++) {
				double x = chunk + region;
				for (int turn = 0; turn < TURNS; turn++)
					x = x * 0.999 + 1;
				sum += x;
			}
		}
	}
	printf("%g\n", sum);
	return 0;
}
