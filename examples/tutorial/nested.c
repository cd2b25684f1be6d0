/* The first example of docs/tutorial.md: an integral over the unit square. A cell that is not smooth enough is cut into four, in a
 * region of its own, and nearly all such cells lie in one quarter of the square. */
#include <math.h>
#include <stdio.h>

enum { POINTS = 24 };

static double
value(double x, double y)
{
	return exp(-8 * fabs(x * x + y * y - 0.04)) / (0.001 + x + y);
}

static double
middle(double x, double y, double side)
{
	double sum = 0;
	for (int i = 0; i < POINTS; i++)
		for (int j = 0; j < POINTS; j++)
			sum += value(x + (i + 0.5) * side / POINTS, y + (j + 0.5) * side / POINTS);
	return sum * side * side / (POINTS * POINTS);
}

static double
integral(double x, double y, double side, double whole)
{
	double half = side / 2, part[4], sum = 0;
	for (int i = 0; i < 4; i++)
		sum += part[i] = middle(x + half * (i & 1), y + half * (i >> 1), half);
	if (fabs(sum - whole) < 1e-11)
		return sum;
	sum = 0;
#pragma omp parallel for num_threads(4) reduction(+ : sum)
	for (int i = 0; i < 4; i++)
		sum += integral(x + half * (i & 1), y + half * (i >> 1), half, part[i]);
	return sum;
}

int
main(void)
{
	printf("%.6f\n", integral(0, 0, 1, middle(0, 0, 1)));
	return 0;
}
