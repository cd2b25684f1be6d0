// A signal handler calls sched_yield where it may. One runs on an alternate stack, which must be the member's. Another
// runs on the member's own stack, and the member may go on elsewhere if the handler does not block its signal.
// finding: 10
// mode: alternate
// mode: own
// mode: nodefer
#include <sched.h>
#include <signal.h>
#include <sys/time.h>

#include "crowd.h"

#define MEMBERS 8
#define SECONDS 1.0
#define ALTERNATE 65536

static _Alignas(64) char alternates[MEMBERS + 1][ALTERNATE];
static int blocks;
static atomic_int calls, overwritten, masks;

static __thread volatile int depth;

/* On the alternate stack handlers may lie one on top of the other. */
static void
on_alarm(int signal)
{
	if (depth > 2)
		return;
	depth++;
	volatile unsigned mine[256];
	unsigned value = (unsigned)++calls;
	sigset_t mask;

	for (int i = 0; i < 256; i++)
		mine[i] = value + i;
	for (int k = 0; k < 4; k++)
		sched_yield();
	for (int i = 0; i < 256; i++)
		overwritten += mine[i] != value + i;
	pthread_sigmask(SIG_SETMASK, NULL, &mask);
	masks += sigismember(&mask, signal) != blocks;
	depth--;
}

static void
alternate(int number)
{
	stack_t stack = {.ss_sp = alternates[number], .ss_size = ALTERNATE};

	CHECK(sigaltstack(&stack, NULL) == 0);
}

static volatile double sink;

static void
compute(int n)
{
	double x = 1;

	for (int i = 0; i < n; i++)
		x = x * 1.0000001 + 1e-9;
	sink = x;
}

int
main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "alternate";
	int on_alternate = !strcmp(mode, "alternate");
	struct sigaction action = {.sa_handler = on_alarm, .sa_flags = SA_RESTART};
	struct itimerval every = {{0, 500}, {0, 500}}, none = {{0, 0}, {0, 0}};
	int regions = 0, members = 0, blocked = 0;
	sigset_t mask;

	blocks = !strcmp(mode, "own");
	action.sa_flags |= (blocks ? 0 : SA_NODEFER) | (on_alternate ? SA_ONSTACK : 0);
	sigaction(SIGALRM, &action, NULL);
	if (on_alternate)
		alternate(MEMBERS);
	setitimer(ITIMER_REAL, &every, NULL);
	for (double end = check_now() + SECONDS; check_now() < end || calls == 0; regions++) {
#pragma omp parallel num_threads(MEMBERS)
		{
			if (on_alternate)
				alternate(omp_get_thread_num());
			for (int i = 0; i < 5; i++) {
				compute(100000);
#pragma omp atomic
				members++;
#pragma omp barrier
			}
		}
		pthread_sigmask(SIG_SETMASK, NULL, &mask);
		blocked += sigismember(&mask, SIGALRM);
	}
	setitimer(ITIMER_REAL, &none, NULL);
	CHECK(members == regions * MEMBERS * 5, "%d of %d", members, regions * MEMBERS * 5);
	CHECK(overwritten == 0, "%d words of handlers' variables", overwritten);
	CHECK(masks == 0 && blocked == 0, "%d wrong masks in handlers, %d after regions", masks, blocked);
	return check_end();
}
