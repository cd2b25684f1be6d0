// Rounds of a short parallel loop, as many numerical programs have them. Several copies at a time share a machine badly
// where each one's threads wait for threads that have no PU. Nothing here is written for that.
//   rounds [ROUNDS]
#include <stdio.h>
#include <stdlib.h>

enum { N = 20000 };

static double field[N];

int
main(int count, char **words)
{
	int rounds = count > 1 ? atoi(words[1]) : 100000;
	double sum = 0;
	for (int round = 0; round < rounds; round++) {
#pragma omp parallel for reduction(+ : sum) schedule(static)
		for (int i = 0; i < N; i++) {
			field[i] = field[i] * 0.5 + i;
			sum += field[i];
		}
	}
	printf("%g\n", sum);
	return 0;
}
