// fork inside a region, by any member: the child, alone, is a team of one until it ends; the parent's team goes on.
// threads: 1 2 8
// stock: fails (a barrier in the child waits for members that it does not have)
#define _GNU_SOURCE
#include <omp.h>
#include <pthread.h>
#include <sys/wait.h>

#include "check.h"

static pthread_mutex_t mutex = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;

static void
child_part(void)
{
	int sum = 0;
	char *memory = malloc(100000);

	memory[99999] = 1;
	free(memory);
	CHECK(pthread_mutex_lock(&mutex) == 0 && pthread_mutex_lock(&mutex) == 0);
#pragma omp barrier
	CHECK(pthread_mutex_unlock(&mutex) == 0 && pthread_mutex_unlock(&mutex) == 0);
#pragma omp critical(inside)
	sum++;
#pragma omp single
	sum++;
#pragma omp for schedule(dynamic)
	for (int i = 0; i < 10; i++)
		sum++;
#pragma omp barrier
	CHECK(sum == 12, "%d", sum);
	_exit(check_failures ? 1 : 7);
}

int
main(void)
{
	int threads = omp_get_max_threads(), rounds = 0;

	for (int forker = 0; forker < threads; forker += threads > 2 ? 3 : 1) {
#pragma omp parallel
		{
#pragma omp barrier
			if (omp_get_thread_num() == forker) {
				int status = -1;

				pid_t child = fork();
				if (child == 0)
					child_part();
				CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) &&
					      WEXITSTATUS(status) == 7,
				      "%x", status);
			} else
				check_burn(500);
#pragma omp barrier
#pragma omp atomic
			rounds++;
		}
	}
	CHECK(rounds % threads == 0 && rounds >= threads);
	return check_end();
}
