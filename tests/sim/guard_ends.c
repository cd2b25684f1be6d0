/* The thread whose passes the guard of a pin file times ends after four. Then the program's first thread, which has
 * met a region without pins before, meets the same region 100 times. */
#include <forestgomp.h>
#include <omp.h>
#include <pthread.h>

enum { MEMBERS = 8, WORK_NS = 1000 };

static void *
pinned(void *rounds)
{
	for (int i = 0; i < *(int *)rounds; i++)
#pragma omp parallel num_threads(MEMBERS)
		fgomp_sim_work(WORK_NS);
	return NULL;
}

int
main(void)
{
	int few = 4, many = 100;
	pthread_t thread;
#pragma omp parallel num_threads(2)
	fgomp_sim_work(WORK_NS);
	if (pthread_create(&thread, NULL, pinned, &few) != 0 || pthread_join(thread, NULL) != 0)
		return 1;
	pinned(&many);
	return 0;
}
