// The initial thread ends by pthread_exit: the process ends with status 0 after its last thread.
// env: -
// env: FGOMP_THREADS=kernel
// limit: 60
#include <omp.h>
#include <pthread.h>
#include <sys/wait.h>

#include "check.h"

enum { FLAT = 1, NESTED = 2, THREAD_FLAT = 4, THREAD_NESTED = 8, THREAD_LAST = 16, AGAIN = 32, ALL = 64 };

static int what;

static void
region(int nested)
{
	int n = 0;
	omp_set_max_active_levels(2);
#pragma omp parallel num_threads(3) reduction(+ : n)
	{
		n++;
		if (nested)
#pragma omp parallel num_threads(2)
		{
#pragma omp barrier
		}
	}
	CHECK(n == 3);
}

static void *
thread(void *arg)
{
	if (what & THREAD_LAST)
		usleep(20000);
	if (what & (THREAD_FLAT | THREAD_NESTED))
		region(what & THREAD_NESTED);
	return arg;
}

/* The destructors of a thread's keys run in turn, and this one's region comes after that of the runtime. */
static void
region_at_end(void *arg)
{
	(void)arg;
	region(1);
}

static void
child(void)
{
	pthread_t other;
	pthread_key_t key;
	if (what & (FLAT | NESTED))
		region(what & NESTED);
	if (what & AGAIN) {
		pthread_key_create(&key, region_at_end);
		pthread_setspecific(key, &what);
	}
	pthread_create(&other, NULL, thread, NULL);
	if (what & THREAD_LAST)
		pthread_detach(other);
	else
		pthread_join(other, NULL);
	pthread_exit(NULL);
}

int
main(int argc, char **argv)
{
	if (argc == 2) {
		what = atoi(argv[1]);
		child();
	}
	for (what = 0; what < ALL; what++) {
		char command[300];
		snprintf(command, sizeof command, "timeout -s KILL 10 %s %d", argv[0], what);
		int status = system(command);
		CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0, "%d: status %d", what, WEXITSTATUS(status));
		if (check_failures > 2)
			break;
	}
	return check_end();
}
