// Members of two roots take a mutex of the program, and yield while they hold it. The holder lies on a PU's runqueue
// while all others block. Each time that one of these gives way, the runqueues have a turn, and the holder must get one
// of these turns.
// env: FGOMP_SCHED=affinity FGOMP_SPIN=0 FGOMP_SLICE=1000us
// env: -
// limit: 60
#include <omp.h>
#include <pthread.h>
#include <sched.h>

#include "check.h"

#define SECONDS 8

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *
root(void *arg)
{
	int n = *(int *)arg;
	double end = check_now() + SECONDS;

	for (int k = 0; check_now() < end; k++) {
		int sum = 0, size = 2 + (n + k) % 4;
#pragma omp parallel num_threads(size) reduction(+ : sum)
		for (int i = 0; i < 20; i++) {
			pthread_mutex_lock(&mutex);
			check_burn(20);
			sched_yield();
			pthread_mutex_unlock(&mutex);
			sum++;
#pragma omp barrier
		}
		CHECK(sum == 20 * size, "%d of %d", sum, 20 * size);
	}
	return NULL;
}

int
main(void)
{
	pthread_t other;
	int first = 0, second = 1;

	omp_set_dynamic(0);
	pthread_create(&other, NULL, root, &second);
	root(&first);
	pthread_join(other, NULL);
	return check_end();
}
