// A thread of the program opens a region of its own while a member of another region waits for it: in a pipe, and for
// its end. That member must not sit on the kernel thread to which the awaited thread comes back.
// threads: 2
// cpus: 1
// env: -
// env: FGOMP_SLICE=0
// env: FGOMP_SCHED=affinity
// env: FGOMP_SCHED=compact
// limit: 10
#include <omp.h>
#include <pthread.h>
#include <semaphore.h>
#include <unistd.h>

#include "check.h"

static sem_t region_taken, begun;
static int after_region[2];
static pthread_t other;
static int inside, released;

/* Its member waits and lets others go first: meanwhile its kernel thread has nothing to do. */
static void *
run(void *arg)
{
	(void)arg;
	while (sem_wait(&region_taken))
		;
#pragma omp parallel num_threads(2)
	if (omp_get_thread_num() == 1) {
		__atomic_store_n(&inside, 1, __ATOMIC_RELEASE);
		while (!__atomic_load_n(&released, __ATOMIC_ACQUIRE)) {
#pragma omp taskyield
		}
	}
	CHECK(write(after_region[1], "", 1) == 1);
	return NULL;
}

static void
wait_for_other(int by_join)
{
	char byte;
	if (by_join)
		CHECK(pthread_join(other, NULL) == 0);
	CHECK(read(after_region[0], &byte, 1) == 1);
}

/* Members wait for the other thread, one of them before it is through its region. */
static void
meet(int by_join)
{
	sem_init(&region_taken, 0, 0);
	sem_init(&begun, 0, 0);
	inside = released = 0;
	CHECK(pthread_create(&other, NULL, run, NULL) == 0);
#pragma omp parallel num_threads(2)
	if (omp_get_thread_num() == 0) {
		sem_post(&region_taken);
		while (!__atomic_load_n(&inside, __ATOMIC_ACQUIRE))
			;
		check_burn(10000); /* it looks for something to do by now */
#pragma omp parallel num_threads(2)
		if (omp_get_thread_num() == 1) {
			sem_post(&begun);
			wait_for_other(by_join);
		} else {
			while (sem_wait(&begun))
				;
			__atomic_store_n(&released, 1, __ATOMIC_RELEASE);
		}
	}
	if (!by_join)
		CHECK(pthread_join(other, NULL) == 0);
}

int
main(void)
{
	omp_set_max_active_levels(2);
	CHECK(pipe(after_region) == 0);
	for (int round = 0; round < 10; round++) {
		meet(0);
		meet(1);
	}
	return check_end();
}
