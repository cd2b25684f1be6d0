// With dyn-var, other processes that compute on all CPUs make a team smaller.
// stock: fails (takes the load average of 15 minutes)
#include <omp.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "check.h"

static int
team(void)
{
	int size = 0;

#pragma omp parallel
#pragma omp single
	size = omp_get_num_threads();
	return size;
}

int
main(void)
{
	int procs = omp_get_num_procs();
	pid_t child[256];

	omp_set_num_threads(procs);
	CHECK(team() == procs);
	omp_set_dynamic(1);
	if (procs < 2 || procs > 256)
		return check_end();
	for (int i = 0; i < procs; i++)
		if ((child[i] = fork()) == 0) {
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			for (;;)
				check_burn(1e5);
		}
	/* One member leaves them all but one CPU; it takes a second or two for that to come about. */
	while (team() > 1)
		usleep(50000);
	for (int i = 0; i < procs; i++) {
		kill(child[i], SIGKILL);
		waitpid(child[i], NULL, 0);
	}
	omp_set_dynamic(0);
	CHECK(team() == procs);
	return check_end();
}
