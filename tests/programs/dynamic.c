// With dyn-var, other processes that compute on all CPUs make a team smaller within a second.
// stock: fails (takes the load average of 15 minutes)
#include <omp.h>
#include <signal.h>
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
	int procs = omp_get_num_procs(), after = 0;
	pid_t child[256];

	omp_set_num_threads(procs);
	CHECK(team() == procs);
	omp_set_dynamic(1);
	if (procs < 2 || procs > 256)
		return check_end();
	for (int i = 0; i < procs; i++)
		if ((child[i] = fork()) == 0) {
			alarm(20);
			for (;;)
				check_burn(1e5);
		}
	/* One member leaves them all but one CPU; it takes a second or two for that to come about. */
	for (double end = check_now() + 6; (after = team()) > 1 && check_now() < end;)
		usleep(50000);
	CHECK(after == 1, "%d of %d", after, procs);
	for (int i = 0; i < procs; i++) {
		kill(child[i], SIGKILL);
		waitpid(child[i], NULL, 0);
	}
	omp_set_dynamic(0);
	CHECK(team() == procs);
	return check_end();
}
