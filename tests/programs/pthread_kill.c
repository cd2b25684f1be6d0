// Signals work in members. A member that sends one to itself, by pthread_kill or raise, gets it at once and with its
// own thread-local storage. A signal to the process is handled whatever its members do.
// threads: 1 2 8
// env: -
// env: FGOMP_THREADS=kernel
#include <omp.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>

#include "check.h"

static _Thread_local volatile sig_atomic_t mine;
static atomic_int all;

static void
on_own(int signal)
{
	(void)signal;
	mine++;
}

static void
on_process(int signal)
{
	(void)signal;
	atomic_fetch_add(&all, 1);
}

int
main(void)
{
	signal(SIGUSR1, on_own);
	signal(SIGUSR2, on_process);
	omp_set_max_active_levels(2);
	for (int round = 0; round < 10; round++) {
#pragma omp parallel
		{
#pragma omp parallel num_threads(2)
			{
				int before = mine;
				CHECK(pthread_kill(pthread_self(), SIGUSR1) == 0);
				CHECK(mine == before + 1);
				check_burn(100);
				CHECK(raise(SIGUSR1) == 0);
				CHECK(mine == before + 2);
#pragma omp barrier
			}
#pragma omp barrier
#pragma omp master
			{
				int before = atomic_load(&all);
				CHECK(kill(getpid(), SIGUSR2) == 0);
				for (int i = 0; atomic_load(&all) == before && i < 2000; i++)
					check_burn(100);
				CHECK(atomic_load(&all) == before + 1);
			}
#pragma omp barrier
		}
	}
	return check_end();
}
