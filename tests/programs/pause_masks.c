// omp_pause_resource_all while another process takes a PU and gives it back all the time: an order to ride with another
// worker may be pending when the workers end. The pause must end, and the next regions are whole.
// cpus: 2
// threads: 2 4
// env: -
// env: FGOMP_SPIN=0
// limit: 60
#define _GNU_SOURCE
#include <omp.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "../../bench/programs/handover.h"
#include "check.h"

#define ROUNDS 150

static void
flip(pid_t pid)
{
	cpu_set_t without, with;
	int pu;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (!handover_pus(&pu, &without, &with))
		_exit(1);
	for (int i = 0;; i++) {
		handover_set(pid, NULL, i % 2 ? &with : &without);
		usleep(300 + i * 379 % 3000);
	}
}

int
main(void)
{
	int n = omp_get_max_threads();
	pid_t pid = getpid(), child = fork();

	if (child == 0)
		flip(pid);
	omp_set_dynamic(0);
	for (int round = 0; round < ROUNDS; round++) {
		for (int i = 0; i < 1 + round % 5; i++) {
			int sum = 0;
#pragma omp parallel reduction(+ : sum)
			{
				for (int k = 0; k < 100; k++) {
#pragma omp barrier
				}
				check_burn(round * 37 % 1500);
				sum++;
			}
			CHECK(sum == n, "%d of %d", sum, n);
		}
		CHECK(omp_pause_resource_all(round % 2 ? omp_pause_soft : omp_pause_hard) == 0);
	}
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	return check_end();
}
