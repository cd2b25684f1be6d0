// A member blocks all signals with sigfillset, which also names SIGKILL and SIGSTOP. The kernel drops these two. If the
// runtime notes them, sched_yield of that member takes its mask for a handler's, and does not switch to the others.
// threads: 2 4
// cpus: 1
// limit: 30
#include <omp.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>

#include "check.h"

#define ROUNDS 20
#define YIELDS 20000 /* a slice has far more, and a switch needs some for each other member */

int
main(void)
{
	int size = omp_get_max_threads();
	volatile int turn = 0;
	volatile long yields = 0;

#pragma omp parallel
	; /* the thread is known to the runtime before it sets its mask */
#pragma omp parallel
	{
		int self = omp_get_thread_num();
		sigset_t all, before;

		sigfillset(&all);
		if (self == size - 1)
			CHECK(pthread_sigmask(SIG_SETMASK, &all, &before) == 0, "pthread_sigmask");
		for (int round = 0; round < ROUNDS; round++) {
			int mine = round * size + self;

			while (turn != mine) {
				if (self == size - 1)
					yields++;
				CHECK(sched_yield() == 0, "sched_yield");
			}
			turn = mine + 1;
		}
		if (self == size - 1)
			CHECK(pthread_sigmask(SIG_SETMASK, &before, NULL) == 0, "pthread_sigmask");
	}
	CHECK(turn == ROUNDS * size, "%d turns", turn);
	CHECK(yields < YIELDS, "%ld yields", yields);
	return check_end();
}
