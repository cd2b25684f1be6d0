// Members that wait in condition variables and semaphores for others, also for members that have not begun yet.
// threads: 2 8 16
// cpus: 2
// env: -
// env: FGOMP_SLICE=0
#include <omp.h>
#include <pthread.h>
#include <semaphore.h>

#include "check.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

struct gate {
	pthread_cond_t cond;
	int open, waiting;
};

static void
gate_wait(struct gate *gate)
{
	pthread_mutex_lock(&mutex);
	gate->waiting++;
	while (!gate->open)
		pthread_cond_wait(&gate->cond, &mutex);
	pthread_mutex_unlock(&mutex);
}

static void
gate_open(struct gate *gate)
{
	pthread_mutex_lock(&mutex);
	gate->open = 1;
	pthread_cond_broadcast(&gate->cond);
	pthread_mutex_unlock(&mutex);
}

static void
team(int size, int opener)
{
	struct gate gate = {PTHREAD_COND_INITIALIZER, 0, 0};
	sem_t sem;
	pthread_barrier_t all;

	sem_init(&sem, 0, 0);
	pthread_barrier_init(&all, NULL, size);
#pragma omp parallel num_threads(size)
	{
		int me = omp_get_thread_num();

		me == opener ? gate_open(&gate) : gate_wait(&gate);
		/* A chain of semaphores' posts, and a barrier of pthreads' own. */
		if (me == opener)
			sem_post(&sem);
		while (sem_wait(&sem))
			;
		sem_post(&sem);
		pthread_barrier_wait(&all);
#pragma omp barrier
	}
	pthread_barrier_destroy(&all);
	sem_destroy(&sem);
}

int
main(void)
{
	int threads = omp_get_max_threads();

	for (int round = 0; round < 10; round++) {
		team(threads, threads - 1);
		team(threads, 0);
		team(threads, threads / 2);
	}
	omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2)
	for (int round = 0; round < 5; round++) {
		team(threads, threads - 1);
		team(threads, 0);
	}
	return check_end();
}
