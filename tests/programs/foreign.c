// Regions from 8 pthreads of the program at once, also when they wait for each other in the middle of their regions.
// threads: 1 2 8
#include <omp.h>
#include <pthread.h>

#include "check.h"

#define PTHREADS 8
static pthread_barrier_t meeting;
static int priv;
#pragma omp threadprivate(priv)

static void *
body(void *arg)
{
	int id = (int)(long)arg, threads = omp_get_max_threads();

	CHECK(omp_get_level() == 0 && omp_get_thread_num() == 0 && omp_get_num_threads() == 1);
	for (int round = 0; round < 20; round++) {
		int sum = 0, loops = 0;

#pragma omp parallel reduction(+ : sum)
		{
			priv = id * 100 + omp_get_thread_num();
			sum = id + 1;
#pragma omp barrier
#pragma omp for schedule(dynamic)
			for (int i = 0; i < 30; i++)
				__atomic_fetch_add(&loops, 1, __ATOMIC_RELAXED);
			CHECK(priv == id * 100 + omp_get_thread_num(), "%d", priv);
		}
		CHECK(sum == threads * (id + 1) && loops == 30, "%d %d", sum, loops);

		/* All primary threads meet inside their regions, while their other members wait at the barrier. */
#pragma omp parallel
		{
#pragma omp master
			pthread_barrier_wait(&meeting);
#pragma omp barrier
			CHECK(omp_get_num_threads() == threads);
		}
		/* The last members meet. */
#pragma omp parallel
		if (omp_get_thread_num() == threads - 1)
			pthread_barrier_wait(&meeting);
	}
	return NULL;
}

int
main(void)
{
	pthread_t threads[PTHREADS];

	pthread_barrier_init(&meeting, NULL, PTHREADS);
	for (int turn = 0; turn < 2; turn++) {
		for (int i = 0; i < PTHREADS; i++)
			pthread_create(&threads[i], NULL, body, (void *)(long)i);
		for (int i = 0; i < PTHREADS; i++)
			pthread_join(threads[i], NULL);
#pragma omp parallel
		CHECK(omp_get_num_threads() == omp_get_max_threads());
	}
	return check_end();
}
