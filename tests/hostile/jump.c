// Handlers that jump out of computations, as those of cysignals, PARI and R do: they may interrupt a member anywhere in
// the program's code, also where the runtime is just looking at it.
// finding: 9
// mode: spin
// mode: compute
// mode: spin nested
#include <setjmp.h>
#include <signal.h>
#include <sys/time.h>

#include "crowd.h"

#define MEMBERS 6
#define SECONDS 1.5

static __thread sigjmp_buf here;
static __thread volatile sig_atomic_t inside;
static __thread volatile int jumps;
static atomic_long all_jumps;

static void
on_alarm(int signal)
{
	(void)signal;
	if (inside) {
		inside = 0;
		siglongjmp(here, 1);
	}
}

static void
compute(volatile double *x)
{
	for (int i = 0; i < 300000; i++)
		*x = *x * 1.0000001 + 1e-9;
}

/* Waits for its turn, or computes; begins again where it was jumped out of, thirty times at most. */
static void
member(atomic_int *turn, int mine, const char *kind)
{
	volatile double x = 1;

	jumps = 0;
	sigsetjmp(here, 1);
	inside = jumps++ < 30;
	if (!strcmp(kind, "spin"))
		while (atomic_load(turn) < mine)
			;
	else
		compute(&x);
	inside = 0;
	all_jumps += jumps - 1;
	atomic_fetch_add(turn, 1);
}

static void
region(const char *kind, int nested)
{
	atomic_int turn = 0;

	if (nested) {
#pragma omp parallel num_threads(2)
		{
			atomic_int inner = 0;
#pragma omp parallel num_threads(MEMBERS / 2)
			member(&inner, MEMBERS / 2 - 1 - omp_get_thread_num(), kind);
			turn += inner;
		}
	} else {
#pragma omp parallel num_threads(MEMBERS)
		{
			member(&turn, MEMBERS - 1 - omp_get_thread_num(), kind);
#pragma omp barrier
		}
	}
	CHECK(turn == MEMBERS, "%d", turn);
}

int
main(int argc, char **argv)
{
	const char *kind = argc > 1 ? argv[1] : "spin";
	struct sigaction action = {.sa_handler = on_alarm, .sa_flags = SA_RESTART};
	struct itimerval every = {{0, 150}, {0, 150}}, none = {{0, 0}, {0, 0}};

	omp_set_max_active_levels(2);
	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &every, NULL);
	for (double end = check_now() + SECONDS; check_now() < end || all_jumps == 0;)
		region(kind, argc > 2);
	setitimer(ITIMER_REAL, &none, NULL);
	usleep(1000);
	for (int i = 0; i < 3; i++) {
		crowd_regions("spin", MEMBERS, 1);
		crowd_regions("sem", MEMBERS, 1);
	}
	return check_end();
}
