// A signal that a member sends to itself arrives, there, before the call returns.
// finding: 15
// mode: sigqueue
// mode: kill
// mode: raise
#include <signal.h>

#include "crowd.h"

#define MEMBERS 8
#define ROUNDS 20

static __thread volatile int got, value;
static const char *mode;

static void
on_signal(int signal, siginfo_t *info, void *context)
{
	(void)signal;
	(void)context;
	got++;
	value = info->si_value.sival_int;
}

/* How many did not come. */
static int
member(int me)
{
	int lost = 0;

	for (int round = 0; round < ROUNDS; round++) {
		int before = got;

		if (!strcmp(mode, "sigqueue")) {
			CHECK(pthread_sigqueue(pthread_self(), SIGUSR1,
					       (union sigval){.sival_int = me * ROUNDS + round}) == 0);
			lost += got != before + 1 || value != me * ROUNDS + round;
		} else {
			CHECK((!strcmp(mode, "kill") ? pthread_kill(pthread_self(), SIGUSR1) : raise(SIGUSR1)) == 0);
			lost += got != before + 1;
		}
#pragma omp barrier
	}
	return lost;
}

int
main(int argc, char **argv)
{
	struct sigaction action = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO | SA_RESTART};
	int lost = 0, inner = 0;

	mode = argc > 1 ? argv[1] : "sigqueue";
	sigaction(SIGUSR1, &action, NULL);
#pragma omp parallel num_threads(MEMBERS) reduction(+ : lost)
	lost += member(omp_get_thread_num());
	CHECK(lost == 0, "%d of %d, in a flat team", lost, MEMBERS * ROUNDS);
	omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2) reduction(+ : inner)
	{
		int mine = 0, outer = omp_get_thread_num();
#pragma omp parallel num_threads(MEMBERS / 2) reduction(+ : mine)
		mine += member(outer + 2 * omp_get_thread_num());
		inner += mine;
	}
	CHECK(inner == 0, "%d of %d, in nested teams", inner, MEMBERS * ROUNDS);
	return check_end();
}
