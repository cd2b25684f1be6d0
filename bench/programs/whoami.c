/* Tells which library carries this program, after a region of two threads has worked on it. It is called once for each
 * runtime. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <omp.h>
#include <stdio.h>

int
main(void)
{
	int members = 0;
#pragma omp parallel num_threads(2) reduction(+ : members)
	members++;
	Dl_info info;
	if (!dladdr((void *)omp_get_wtime, &info) || members != 2) {
		fprintf(stderr, "whoami: a region of 2 threads had %d members\n", members);
		return 1;
	}
	printf("runtime %s\n", info.dli_fname);
	return 0;
}
