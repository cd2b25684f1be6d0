/* The example of docs/tutorial.md: the sums of the rows of a triangle. Row i has i numbers, so the rows differ in length. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define ROWS 3000

static double sum[ROWS];

static void
add_up(void)
{
#pragma omp parallel for schedule(static)
	for (int i = 0; i < ROWS; i++) {
		sum[i] = 0;
		for (int k = 0; k < i; k++)
			sum[i] += sqrt(i * 0.5 + k);
	}
}

static double
largest(void)
{
	double most = 0;
#pragma omp parallel for reduction(max : most)
	for (int i = 0; i < ROWS; i++)
		most = fmax(most, sum[i]);
	return most;
}

int
main(int argc, char **argv)
{
	int steps = argc > 1 ? atoi(argv[1]) : 100;
	double most = 0;
	for (int step = 0; step < steps; step++) {
		add_up();
		most = largest();
	}
	printf("largest sum: %.6g\n", most);
	return 0;
}
