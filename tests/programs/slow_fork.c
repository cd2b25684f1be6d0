// The kernel takes the main thread off its PU in the midst of a fork, for so long that the runtime's monitor falls
// asleep. Then a member spins until the next one of its PU has run, so somebody must preempt it. The pause is made by
// a page of that member's stack, which the fork touches where the team has another size than the last one.
// cpus: 1
// threads: 3
// limit: 60
// stock: fails (its fork touches no stack)
#include <omp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/mman.h>

#include "check.h"

enum { REGIONS = 30, SLOW = 20, PAGE = 4096 };
static char *pages; /* of the stack of member 1 */
static atomic_int paused;

static void
sleep_in_fault(int number, siginfo_t *info, void *context)
{
	struct timespec pause = {.tv_nsec = 600 * 1000 * 1000};
	(void)context;
	if ((uintptr_t)info->si_addr - (uintptr_t)pages >= 2 * PAGE) {
		signal(number, SIG_DFL);
		return;
	}
	mprotect(pages, 2 * PAGE, PROT_READ | PROT_WRITE);
	paused = 1;
	while (nanosleep(&pause, &pause) != 0)
		;
}

int
main(void)
{
	struct sigaction action = {.sa_sigaction = sleep_in_fault, .sa_flags = SA_SIGINFO | SA_NODEFER};
	for (int i = 0; i < REGIONS; i++) {
		atomic_int has_run = 0;
		if (i == SLOW) {
			sigaction(SIGSEGV, &action, NULL);
			mprotect(pages, 2 * PAGE, PROT_NONE);
		}
#pragma omp parallel num_threads(2 + i % 2) shared(has_run)
		{
			char here;
			int me = omp_get_thread_num();
			if (me == 1) {
				pages = (char *)((uintptr_t)&here & ~(uintptr_t)(PAGE - 1));
				has_run = 1;
			}
			while (me == 0 && !has_run)
				;
		}
	}
	if (!paused)
		return check_skip("the fork did not touch that stack");
	return check_end();
}
