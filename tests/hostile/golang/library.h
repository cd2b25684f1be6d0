/* A C library that uses OpenMP: more members than CPUs that wait for each other. Returns how many did their part. */
#include <omp.h>
#include <stdatomic.h>

static int
call_members(int members, int rounds)
{
	int done = 0;

	for (int round = 0; round < rounds; round++) {
		atomic_int turn = 0;

#pragma omp parallel num_threads(members) reduction(+ : done)
		{
			while (atomic_load(&turn) < omp_get_num_threads() - 1 - omp_get_thread_num())
				;
			atomic_fetch_add(&turn, 1);
			done++;
		}
	}
	return done;
}
