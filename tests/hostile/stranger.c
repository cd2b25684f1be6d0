// A pthread that uses no OpenMP calls sigaction in a loop, and so does a signal handler that interrupts it. The signal
// is the one that preempts members, so both ask the runtime.
// finding: 10
#define _GNU_SOURCE
#include <omp.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "check.h"

#define HANDLED 2000

static atomic_int handled, wrong;

/* The runtime's handler is not the program's business. */
static int
sees_handler(void)
{
	struct sigaction old = {.sa_handler = SIG_IGN};

	sigaction(SIGURG, NULL, &old);
	return old.sa_handler != SIG_DFL;
}

static void
on_timer(int signal)
{
	(void)signal;
	wrong += sees_handler();
	handled++;
}

static void *
stranger(void *arg)
{
	struct itimerspec every = {{0, 20000}, {0, 20000}};
	struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGUSR1};
	timer_t timer;

	event._sigev_un._tid = (pid_t)syscall(SYS_gettid);
	CHECK(timer_create(CLOCK_MONOTONIC, &event, &timer) == 0);
	CHECK(timer_settime(timer, 0, &every, NULL) == 0);
	while (handled < HANDLED)
		wrong += sees_handler();
	timer_delete(timer);
	return arg;
}

int
main(void)
{
	pthread_t thread;
	int members = 0, size = omp_get_num_procs() + 4;

	signal(SIGUSR1, on_timer);
	/* The runtime takes the signal as soon as a team has more members than there are PUs. */
#pragma omp parallel num_threads(size)
#pragma omp atomic
	members++;
	CHECK(members == size);
	CHECK(pthread_create(&thread, NULL, stranger, NULL) == 0);
	pthread_join(thread, NULL);
	CHECK(wrong == 0, "%d calls saw the runtime's handler", wrong);
	return check_end();
}
