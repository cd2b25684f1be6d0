// A thread asks the runtime to end its threads, again and again, while another one opens regions. The members of these
// wait for each other by spinning, and need the runtime for that.
// cpus: 2
// env: -
// env: FGOMP_THREADS=kernel
// limit: 60
#include <omp.h>
#include <pthread.h>
#include <stdatomic.h>

#include "check.h"

enum { PAUSES = 1500, MEMBERS = 4 };
static atomic_int over;

static void *
regions(void *arg)
{
	unsigned seed = 2;
	while (!over) {
		atomic_int come = 0;
#pragma omp parallel num_threads(MEMBERS) shared(come)
		{
			int size = omp_get_num_threads();
			come++;
			while (come < size)
				;
		}
		usleep((useconds_t)rand_r(&seed) % 500);
	}
	return arg;
}

int
main(void)
{
	pthread_t thread;
	unsigned seed = 1;
	CHECK(pthread_create(&thread, NULL, regions, NULL) == 0);
	for (int i = 0; i < PAUSES; i++) {
		omp_pause_resource_all(omp_pause_soft);
		usleep(200 + (useconds_t)rand_r(&seed) % 3000);
	}
	over = 1;
	pthread_join(thread, NULL);
	return check_end();
}
