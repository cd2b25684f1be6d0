// fork after regions: the child has no workers any more and starts anew, as do its children; the parent goes on.
// threads: 1 2 8
// stock: fails (the child waits for workers that it does not have)
#include <omp.h>
#include <pthread.h>
#include <sys/wait.h>

#include "check.h"

static int priv;
#pragma omp threadprivate(priv)

static int
regions(void)
{
	int sum = 0, threads = omp_get_max_threads();

	for (int i = 0; i < 20; i++) {
#pragma omp parallel reduction(+ : sum)
		{
#pragma omp barrier
			sum++;
		}
	}
#pragma omp parallel num_threads(2) reduction(+ : sum)
	{
#pragma omp parallel num_threads(3) reduction(+ : sum)
		sum++;
	}
	return sum == 20 * threads + 6;
}

static void
generations(int left)
{
	int status = -1;
	pid_t child;

	CHECK(regions());
	priv = left;
	child = fork();
	if (child == 0) {
		CHECK(priv == left);
		if (left)
			generations(left - 1);
		CHECK(regions());
		_exit(check_failures ? 1 : 7);
	}
	CHECK(regions());
	CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 7, "%x", status);
	CHECK(regions());
}

static void *
foreign(void *arg)
{
	omp_set_max_active_levels(2);
	generations(0);
	return arg;
}

int
main(void)
{
	pthread_t thread;

	omp_set_max_active_levels(2);
	generations(2);
	usleep(200000);
	generations(0);
	/* From a pthread of the program, while the initial thread runs regions. */
	pthread_create(&thread, NULL, foreign, NULL);
	for (int i = 0; i < 20; i++)
		CHECK(regions());
	pthread_join(thread, NULL);
	return check_end();
}
