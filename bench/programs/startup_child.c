/* startup.c starts it. With an argument it opens one region and prints the time of its end. Without one it opens none,
   like a program that is asked for its version. A second build without OpenMP tells what any process costs. */
#ifdef _OPENMP
#include <omp.h>
#endif
#include "bench.h"

int
main(int argc, char **argv)
{
	(void)argv;
	int members = 0;
	if (argc > 1) {
#pragma omp parallel num_threads(2) reduction(+ : members)
		members++;
		printf("%.0f\n", bench_now());
	}
#ifdef _OPENMP
	else if (argc == 0)
		printf("%d\n", omp_get_max_threads());
#endif
	return 0;
}
