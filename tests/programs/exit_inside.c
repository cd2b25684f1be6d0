// exit, _exit, quick_exit, abort and return from main while a region runs: the right status, handlers run once, no
// hang.
// threads: 1 2 8
#include <omp.h>
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "check.h"

static int handlers, leaver;

static void
at_exit(void)
{
	if (++handlers == 1 && write(STDOUT_FILENO, "handler\n", 8) == 8)
		return;
	_exit(99);
}

static void *
region_for_ever(void *arg)
{
#pragma omp parallel
	for (;;) {
		check_burn(100);
#pragma omp barrier
	}
	return arg;
}

static void
in_child(int how)
{
	pthread_t thread;
	struct rlimit no_core = {0, 0};

	setrlimit(RLIMIT_CORE, &no_core);
	atexit(at_exit);
#pragma omp parallel
	{
		/* Nothing yet: the pool stands. */
	}
	if (how == 4) {
		pthread_create(&thread, NULL, region_for_ever, NULL);
		usleep(20000);
		exit(24);
	}
#pragma omp parallel
	for (int i = 0;; i++) {
		if (omp_get_thread_num() == leaver && i == 3) {
			if (how == 0)
				exit(20);
			if (how == 1)
				_exit(21);
			if (how == 2)
				quick_exit(22);
			if (how == 3)
				abort();
		}
		if (omp_get_thread_num() % 3 == 1)
			usleep(100);
#pragma omp barrier
	}
}

int
main(void)
{
	int threads = omp_get_max_threads();

	for (leaver = 0; leaver < threads; leaver += threads > 2 ? 7 : 1)
		for (int how = 0; how < 5; how++) {
			int status = -1;
			pid_t child = fork();

			if (child == 0) {
				in_child(how);
				_exit(98);
			}
			CHECK(waitpid(child, &status, 0) == child);
			if (how == 3)
				CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT, "%x", status);
			else
				CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 20 + how, "way %d by %d: %x", how,
				      leaver, status);
		}
	return check_end();
}
