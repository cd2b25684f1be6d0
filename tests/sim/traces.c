/* A run that leaves traces of itself. `traces FILE [CASE]` prints on both outputs, writes FILE, sums its standard
 * input, and computes 6.4 ms. On one PU it then ends as the case says: leaves, fails. */
#include <omp.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "forestgomp.h"

int
main(int argc, char **argv)
{
	const char *which = argc > 2 ? argv[2] : "";
	int pus = omp_get_num_procs(), sum = 0, number;
	FILE *file = argc > 1 ? fopen(argv[1], "w") : NULL;
	if (!file)
		return 2;
	if (!strcmp(which, "reads"))
		while (scanf("%d", &number) == 1)
			sum += number;
	fprintf(file, "pus %d sum %d\n", pus, sum);
	fclose(file);
	printf("output of %d\n", pus);
	fprintf(stderr, "error of %d\n", pus);
#pragma omp parallel for
	for (int i = 0; i < 64; i++)
		fgomp_sim_work(sum ? (unsigned)sum : 100000);
	if (pus == 1 && !strcmp(which, "leaves"))
		_exit(7);
	return pus == 1 && !strcmp(which, "fails") ? 5 : 0;
}
