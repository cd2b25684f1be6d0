// A pthread of the program starts with the settings of the environment, and its own settings reach no other thread.
// env: OMP_NUM_THREADS=3
#include <omp.h>
#include <pthread.h>

#include "check.h"

static void *
body(void *arg)
{
	int *size = arg;

	CHECK(omp_get_max_threads() == 3, "%d", omp_get_max_threads());
	omp_set_num_threads(*size);
	omp_set_schedule(omp_sched_guided, *size);
#pragma omp parallel
#pragma omp master
	*size = omp_get_num_threads();
	return NULL;
}

int
main(void)
{
	pthread_t thread[4];
	int size[4] = {1, 2, 4, 5};
	omp_sched_t kind;
	int chunk;

	omp_set_num_threads(6);
#pragma omp parallel
	CHECK(omp_get_num_threads() == 6);
	for (int i = 0; i < 4; i++)
		pthread_create(&thread[i], NULL, body, &size[i]);
	for (int i = 0; i < 4; i++)
		pthread_join(thread[i], NULL);
	CHECK(size[0] == 1 && size[1] == 2 && size[2] == 4 && size[3] == 5);
	CHECK(omp_get_max_threads() == 6);
	omp_get_schedule(&kind, &chunk);
	CHECK(chunk == 1);
	return check_end();
}
