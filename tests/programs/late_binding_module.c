/* The module of late_binding_dlopen.c, which brings the library. */
#include <omp.h>

int
ask(void)
{
	return omp_get_max_threads() + omp_get_place_num();
}

int
region(void)
{
	int n = 0;
#pragma omp parallel num_threads(2) reduction(+ : n)
	n++;
	return n;
}
