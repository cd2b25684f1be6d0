// A member that has waited in a system call for long sets its signal mask before it meets the runtime again. The mask
// stays its own: no other member, and not the program's thread, gets it.
// env: -
// env: FGOMP_SPIN=0
// cpus: 1
// limit: 30
#include <omp.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include "check.h"

enum { ROUNDS = 5 };

static int
blocks(int number)
{
	sigset_t now;

	pthread_sigmask(SIG_BLOCK, NULL, &now);
	return sigismember(&now, number);
}

int
main(void)
{
	sigset_t one;

	sigemptyset(&one);
	sigaddset(&one, SIGUSR1);
	for (int round = 0; round < ROUNDS; round++) {
#pragma omp parallel num_threads(2)
		{
#pragma omp barrier
			if (omp_get_thread_num() == 1) {
				usleep(50000);
				pthread_sigmask(SIG_BLOCK, &one, NULL);
			} else {
				for (double begin = omp_get_wtime(); omp_get_wtime() < begin + 0.15;)
					;
			}
#pragma omp barrier
#pragma omp barrier
			CHECK(blocks(SIGUSR1) == (omp_get_thread_num() == 1), "round %d, member %d", round,
			      omp_get_thread_num());
			if (omp_get_thread_num() == 1)
				pthread_sigmask(SIG_UNBLOCK, &one, NULL);
		}
		CHECK(!blocks(SIGUSR1), "round %d", round);
	}
	return check_end();
}
