// The main thread has ended, and threads come and go that run a region each. So the runtime ends its own threads again
// and again, while the next region begins. Its members wait for each other by spinning, and need the runtime for that.
// cpus: 2
// env: -
// env: FGOMP_THREADS=kernel
// limit: 60
#include <omp.h>
#include <pthread.h>
#include <stdatomic.h>

#include "check.h"

enum { THREADS = 300, MEMBERS = 4 };
static atomic_int ended;

static void *
region(void *arg)
{
	atomic_int come = 0;
#pragma omp parallel num_threads(MEMBERS) shared(come)
	{
		int size = omp_get_num_threads();
		come++;
		while (come < size)
			;
	}
	ended++;
	return arg;
}

static void *
threads(void *arg)
{
	unsigned seed = 1;
	for (int i = 0; i < THREADS; i++) {
		pthread_t thread;
		pthread_attr_t attributes;
		pthread_attr_init(&attributes);
		pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
		CHECK(pthread_create(&thread, &attributes, region, arg) == 0);
		while (ended <= i)
			usleep(50);
		usleep((useconds_t)rand_r(&seed) % 2500);
	}
	exit(check_end());
}

int
main(void)
{
	pthread_t thread;
	CHECK(pthread_create(&thread, NULL, threads, NULL) == 0);
	pthread_exit(NULL);
}
