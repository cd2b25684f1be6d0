// Threads of the program have flat regions at a time, and each region's members find the threadprivate data of the last
// one, whether their thread has workers of its own or not.
// env: -
// env: FGOMP_SPIN=0
// env: FGOMP_SCHED=spread
// env: FGOMP_THREADS=kernel
// env: OMP_PROC_BIND=spread OMP_PLACES=cores
// limit: 60
#include <omp.h>
#include <pthread.h>

#include "check.h"

enum { ROOTS = 4, ROUNDS = 300, MOST = 7 };

static int value;
#pragma omp threadprivate(value)

static pthread_barrier_t together;

static int
sized(int root, int phase)
{
	static const int sizes[ROOTS][3] = {{2, 3, 2}, {3, 2, MOST}, {MOST, MOST, 2}, {2, 2, 2}};
	return sizes[root][phase];
}

/* All regions of a phase have the same size, so the data must last from the first to the last. */
static void
phase(int root, int n, int gap)
{
#pragma omp parallel num_threads(n)
	value = 100 * root + omp_get_thread_num() + 1;
	for (int i = 0; i < ROUNDS; i++) {
#pragma omp parallel num_threads(n)
		CHECK(omp_get_num_threads() == n && value == 100 * root + omp_get_thread_num() + 1,
		      "thread %d, member %d of %d, region %d: %d", root, omp_get_thread_num(), n, i, value);
		if (gap)
			usleep((unsigned)gap);
	}
}

static void *
root_main(void *arg)
{
	int root = (int)(long)arg;
	for (int p = 0; p < 3; p++) {
		phase(root, sized(root, p), p == 1 ? 50 * root : 0);
		if (p == 0)
			pthread_barrier_wait(&together);
	}
	return NULL;
}

int
main(void)
{
	pthread_t thread[ROOTS];
	omp_set_dynamic(0);
	pthread_barrier_init(&together, NULL, ROOTS);
	for (int run = 0; run < 3; run++) {
		phase(0, MOST, 0); /* the initial thread is alone, and has the workers' own threads as members */
		for (long r = 1; r < ROOTS; r++)
			pthread_create(&thread[r], NULL, root_main, (void *)r);
		root_main((void *)0);
		for (int r = 1; r < ROOTS; r++)
			pthread_join(thread[r], NULL);
		if (run == 1)
			CHECK(omp_pause_resource_all(omp_pause_soft) == 0);
	}
	return check_end();
}
