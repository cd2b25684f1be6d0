// All signals are blocked before the first region, as in a server with a thread that takes them by sigwait. Members
// wait for each other all the same, and that thread gets the signals that are sent to the process.
// finding: 2
// mode: cond
// mode: sem
// mode: spin
// mode: read
// mode: library cond
// mode: library spin
// mode: later cond
// mode: later spin
// mode: signals SIGTERM
// mode: signals SIGURG
#include <signal.h>

#include "crowd.h"

#define MEMBERS 8
#define ROUNDS 3
#define SIGNALS 50

static atomic_int got[65], stop;
static atomic_int handled;

static void
block_all(void)
{
	sigset_t all;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, NULL);
}

static void *
waiter(void *arg)
{
	sigset_t all;
	int number;

	sigfillset(&all);
	while (sigwait(&all, &number) == 0 && number != SIGUSR1)
		got[number]++;
	return arg;
}

static void *
library(void *kind)
{
	block_all();
	crowd_regions(kind, MEMBERS, ROUNDS);
	return NULL;
}

static void
on_signal(int number)
{
	handled += number != 0;
}

/* One at a time, as those of one number do not add up. */
static void *
sender(void *arg)
{
	int number = *(int *)arg;

	for (int i = 0; i < SIGNALS; i++) {
		kill(getpid(), number);
		while (atomic_load(&got[number]) <= i)
			usleep(1000);
		CHECK(got[number] == i + 1, "signal %d: %d of %d", number, got[number], i + 1);
	}
	stop = 1;
	return NULL;
}

/* While members compute and wait for each other. */
static void
signals(int number)
{
	pthread_t thread;

	if (number == SIGTERM)
		signal(number, on_signal);
	pthread_create(&thread, NULL, sender, &number);
	while (!stop)
		crowd_regions("cond", MEMBERS, 1);
	pthread_join(thread, NULL);
	CHECK(handled == 0, "%d handlers called in spite of the mask", handled);
}

int
main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "cond", *what = argc > 2 ? argv[2] : "cond";
	pthread_t thread;

	if (!strcmp(mode, "later"))
		crowd_regions(what, MEMBERS, 1);
	if (!strcmp(mode, "library")) {
		crowd_regions(what, MEMBERS, 1);
		pthread_create(&thread, NULL, library, (void *)what);
		pthread_join(thread, NULL);
		return check_end();
	}
	block_all();
	pthread_create(&thread, NULL, waiter, NULL);
	if (!strcmp(mode, "signals"))
		signals(!strcmp(what, "SIGURG") ? SIGURG : SIGTERM);
	else
		crowd_regions(!strcmp(mode, "later") ? what : mode, MEMBERS, ROUNDS);
	pthread_kill(thread, SIGUSR1);
	pthread_join(thread, NULL);
	return check_end();
}
