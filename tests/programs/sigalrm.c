// A SIGALRM handler on its own stack during regions: nothing of the members' is disturbed, the setting of the stack
// survives.
// threads: 1 2 8
#define CHECK_NO_ALARM
#include <errno.h>
#include <omp.h>
#include <signal.h>
#include <string.h>
#include <sys/time.h>

#include "check.h"

static volatile sig_atomic_t alarms;
static int priv;
#pragma omp threadprivate(priv)

static void
handler(int number, siginfo_t *info, void *context)
{
	volatile char room[6000];
	int saved = errno;

	(void)number, (void)info, (void)context;
	for (unsigned i = 0; i < sizeof room; i += 64)
		room[i] = (char)i;
	errno = 4321;
	__atomic_fetch_add(&alarms, 1, __ATOMIC_RELAXED);
	errno = saved;
}

int
main(void)
{
	static char stack[64 * 1024];
	stack_t given = {.ss_sp = stack, .ss_size = sizeof stack}, now;
	struct sigaction action = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART};
	struct itimerval often = {{0, 2000}, {0, 2000}}, never = {{0, 0}, {0, 0}};
	double start;

	CHECK(sigaltstack(&given, NULL) == 0);
	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &often, NULL);
	start = check_now();
	/* A busy machine merges alarms. */
	while (check_now() < start + 0.4 || alarms <= 20) {
		int total = 0;

#pragma omp parallel reduction(+ : total)
		{
			int me = omp_get_thread_num();
			double x = me;

			priv = me;
			errno = me + 1;
			for (int i = 0; i < 20; i++) {
				for (int k = 0; k < 500; k++)
					x = x * 1.0000001 + 1.0 / (k + 1);
#pragma omp barrier
				CHECK(priv == me && errno == me + 1);
			}
			double again = me;
			for (int i = 0; i < 20; i++)
				for (int k = 0; k < 500; k++)
					again = again * 1.0000001 + 1.0 / (k + 1);
			CHECK(x == again);
			total++;
		}
		CHECK(total == omp_get_max_threads());
	}
	setitimer(ITIMER_REAL, &never, NULL);
	CHECK(sigaltstack(NULL, &now) == 0 && now.ss_sp == stack && now.ss_size == sizeof stack);
	return check_end();
}
