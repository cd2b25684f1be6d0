// The program uses the signal that preempts for itself: its handler, whether it was there before or comes while members
// run, gets all that the program sends and nothing else; members are preempted as ever. A handler that calls the one it
// found does so once.
// env: OMP_NUM_THREADS=8
// env: OMP_NUM_THREADS=8 FGOMP_SIGNAL=SIGUSR2
// cpus: 2
// stock: fails (spins for ever)
#include <omp.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>

#include "check.h"

static int number;
static atomic_int plain, full, chained, wrong;
static struct sigaction found;

static void
on_plain(int signal)
{
	if (signal != number)
		wrong++;
	plain++;
}

static void
on_full(int signal, siginfo_t *info, void *context)
{
	if (signal != number || info->si_pid != getpid() || !context)
		wrong++;
	full++;
}

static void
on_chained(int signal, siginfo_t *info, void *context)
{
	chained++;
	if (found.sa_flags & SA_SIGINFO)
		found.sa_sigaction(signal, info, context);
	else if (found.sa_handler != SIG_DFL && found.sa_handler != SIG_IGN)
		found.sa_handler(signal);
}

/* More members than CPUs, each waiting for the next without a call: they need preemption. Each sends one signal to
 * itself. */
static void
ring(int rounds)
{
	for (int round = 0; round < rounds; round++) {
		atomic_int turn = 0;

#pragma omp parallel
		{
			int me = omp_get_thread_num(), size = omp_get_num_threads();

			raise(number);
			while (atomic_load(&turn) != size - 1 - me)
				;
			atomic_fetch_add(&turn, 1);
		}
	}
}

static void
install(void (*handler)(int, siginfo_t *, void *), struct sigaction *old)
{
	struct sigaction action = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO | SA_RESTART};

	usleep(200000); /* nothing waits by now, so the runtime sends nothing until it has looked again */
	CHECK(sigaction(number, &action, old) == 0);
}

int
main(void)
{
	const char *name = getenv("FGOMP_SIGNAL");
	int members = omp_get_max_threads();

	number = name && !strcmp(name, "SIGUSR2") ? SIGUSR2 : SIGURG;
	signal(number, on_plain);
	ring(2);
	CHECK(plain == 2 * members, "%d", plain);

	install(on_full, NULL);
	ring(2);
	CHECK(full == 2 * members && plain == 2 * members, "%d %d", full, plain);

	install(on_chained, &found);
	ring(2);
	CHECK(plain == 2 * members, "%d", plain);
	CHECK(chained == 2 * members && full == 4 * members, "%d %d", chained, full);
	CHECK(wrong == 0, "%d", wrong);
	return check_end();
}
