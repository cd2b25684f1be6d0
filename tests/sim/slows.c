/* Given work whose speed-up is known: `slows serial`, each thread does 20 us one after the other; `slows long`, 20
 * s. */
#include <forestgomp.h>
#include <stdio.h>
#include <string.h>

int
main(int argc, char **argv)
{
	int rounds = argc > 1 && !strcmp(argv[1], "long") ? 1000000 : 20;
	for (int i = 0; i < rounds; i++) {
#pragma omp parallel
#pragma omp critical
		fgomp_sim_work(20000);
	}
	return 0;
}
