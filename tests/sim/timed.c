/* Computing that is timed: `timed serial|even|nested|tasks`. */
#include <omp.h>
#include <string.h>

static void
compute(long length)
{
	unsigned long seed = 1;
	for (long i = 0; i < length; i++) {
		seed = seed * 0x9e3779b97f4a7c15ul + 1;
		__asm__ volatile("" : "+r"(seed));
	}
}

static void
nested(int depth)
{
	compute(20000);
	if (depth == 0)
		return;
#pragma omp parallel num_threads(4)
	nested(depth - 1);
}

int
main(int argc, char **argv)
{
	const char *which = argc > 1 ? argv[1] : "";
	omp_set_max_active_levels(8);
	if (!strcmp(which, "serial"))
		compute(40000000);
	else if (!strcmp(which, "even")) {
#pragma omp parallel for schedule(dynamic, 1)
		for (int i = 0; i < 1000; i++)
			compute(40000);
	} else if (!strcmp(which, "nested"))
		nested(5);
	else if (!strcmp(which, "tasks")) {
#pragma omp parallel
#pragma omp single
		for (int i = 0; i < 4000; i++) {
#pragma omp task
			compute(2000);
		}
	}
	else
		return 2;
	return 0;
}
