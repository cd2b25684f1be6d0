/* Matrix products inside a parallel region: blas OUTER N COUNT. OUTER threads share COUNT calls of dgemm of N x N. The
 * library decides how many threads each call takes (OMP_NUM_THREADS, BLIS_NUM_THREADS). With OUTER 0 the calls come
 * from outside a region. */
#include "tell.h"
#include <omp.h>
#include <stdlib.h>

extern void dgemm_(const char *, const char *, const int *, const int *, const int *, const double *, const double *,
		   const int *, const double *, const int *, const double *, double *, const int *);

static void
product(int n, const double *a, const double *b, double *c)
{
	const double one = 1, zero = 0;
	dgemm_("N", "N", &n, &n, &n, &one, a, &n, b, &n, &zero, c, &n);
}

int
main(int argc, char **argv)
{
	if (argc != 4) {
		fprintf(stderr, "usage: blas OUTER N COUNT\n");
		return 2;
	}
	const int outer = atoi(argv[1]), n = atoi(argv[2]), count = atoi(argv[3]), kept = outer > 0 ? outer : 1;
	const size_t cells = (size_t)n * (size_t)n;
	double *a = malloc(cells * sizeof *a), *b = malloc(cells * sizeof *b),
	       *c = malloc(cells * (size_t)kept * sizeof *c);
	if (!a || !b || !c)
		return 1;
	fill(a, cells, 1);
	fill(b, cells, 2);
	/* The first call sets the library up. */
	product(n, a, b, c);
	double begin = now();
	if (outer == 0)
		for (int i = 0; i < count; i++)
			product(n, a, b, c);
#pragma omp parallel num_threads(outer) if (outer > 0)
	if (outer > 0)
#pragma omp for schedule(static)
		for (int i = 0; i < count; i++)
			product(n, a, b, c + cells * (size_t)omp_get_thread_num());
	printf("seconds %.6f\n", now() - begin);
	tell_same("products", c, cells * (size_t)kept * sizeof *c);
	free(a);
	free(b);
	free(c);
	return 0;
}
