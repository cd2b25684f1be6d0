// A task outside of regions is detached, and only another thread of the program ends it. The child of a fork has no
// such thread, and waits for nothing: neither at a taskwait, nor in a region, nor at its end. The parent waits.
// env: -
// env: FGOMP_SPIN=0
// limit: 20
// stock: fails (outside of regions it waits where it meets the task)
#include <omp.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

static omp_event_handle_t event;
static int ready, over;

static void *
later(void *unused)
{
	while (!__atomic_load_n(&ready, __ATOMIC_ACQUIRE))
		;
	__atomic_store_n(&over, 1, __ATOMIC_RELEASE);
	omp_fulfill_event(event);
	return unused;
}

static int
in_child(void)
{
	int ran = 0;

#pragma omp task shared(ran)
	ran++;
#pragma omp taskwait
#pragma omp parallel reduction(+ : ran) num_threads(2)
	{
#pragma omp single
#pragma omp task shared(ran)
#pragma omp atomic
		ran++;
#pragma omp taskwait
	}
#pragma omp taskwait
	return ran;
}

static int
fork_and_wait(void)
{
	int status;
	pid_t pid = fork();

	if (pid == 0)
		_exit(in_child() >= 1 ? 3 : 4);
	CHECK(waitpid(pid, &status, 0) == pid && WIFEXITED(status));
	return WEXITSTATUS(status);
}

int
main(void)
{
	pthread_t thread;
	omp_event_handle_t made;

	CHECK(pthread_create(&thread, NULL, later, NULL) == 0);
#pragma omp task detach(made)
	event = made;
	CHECK(fork_and_wait() == 3);
#pragma omp parallel num_threads(2)
#pragma omp master
	CHECK(fork_and_wait() == 3);
	__atomic_store_n(&ready, 1, __ATOMIC_RELEASE);
#pragma omp taskwait
	CHECK(__atomic_load_n(&over, __ATOMIC_ACQUIRE));
	pthread_join(thread, NULL);
	return check_end();
}
