/* A program as clang builds it: its region goes to another runtime's library (other.c). `both`: it has one of gcc's,
 * too. */
#include <stdio.h>

void __kmpc_fork_call(void);

int
main(int argc, char **argv)
{
	__kmpc_fork_call();
	if (argc > 1) {
#pragma omp parallel
		__asm__ volatile("");
	}
	return 0;
}
