// The initial thread, and a pthread of the program, run their own code on their own kernel thread, in and after
// regions.
// threads: 1 2 8
#include <omp.h>
#include <pthread.h>
#include <sys/syscall.h>

#include "check.h"

static void *
body(void *arg)
{
	long mine = syscall(SYS_gettid);

	omp_set_max_active_levels(2);
	for (int round = 0; round < 30; round++) {
#pragma omp parallel
		{
			for (int i = 0; i < 3; i++) {
#pragma omp master
				CHECK(syscall(SYS_gettid) == mine, "in round %d", round);
#pragma omp barrier
			}
			if (round % 5 == 0) {
#pragma omp parallel num_threads(3)
				{
					if (round % 10 == 0)
						check_burn(500);
#pragma omp barrier
				}
			}
#pragma omp master
			CHECK(syscall(SYS_gettid) == mine, "in round %d", round);
			if (round % 6 == 0)
				usleep(500);
		}
		CHECK(syscall(SYS_gettid) == mine, "after round %d", round);
	}
	return arg;
}

int
main(void)
{
	pthread_t thread;

	body(NULL);
	CHECK(syscall(SYS_gettid) == getpid());
	pthread_create(&thread, NULL, body, NULL);
	body(NULL);
	pthread_join(thread, NULL);
	CHECK(syscall(SYS_gettid) == getpid());
	return check_end();
}
