/* The program of tests/sim/uses.c with real accesses, each of 8 bytes: regions 1, 2 and 3 pair member k of 8 with k
 * ^ 4, k ^ 1 and k ^ 2. In each region a member reads and writes 128 blocks of its own, and reads 64 of its
 * partner's and the 64 of the table, as uses_kernel.c does. There are no other data. */
#include <omp.h>
#ifdef FORKS /* a child ends after the second region */
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
#endif

#include "uses.h"

_Alignas(64) unsigned long long matrix[TABLE + MEMBERS * PORTION];

int
main(void)
{
#pragma omp parallel num_threads(MEMBERS)
	go(omp_get_thread_num(), 4);
#pragma omp parallel num_threads(MEMBERS)
	go(omp_get_thread_num(), 1);
#ifdef FORKS
	pid_t child = fork();
	if (child == 0)
		exit(0);
	waitpid(child, NULL, 0);
#endif
#pragma omp parallel num_threads(MEMBERS)
	go(omp_get_thread_num(), 2);
	return 0;
}
