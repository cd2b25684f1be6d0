// fork inside a region, by its first member or another: members of a region that the child opens there block in the
// kernel until another one, which waits for their PU, lets them go on.
// threads: 2 5
#include <omp.h>
#include <sys/wait.h>

#include "check.h"

enum { CROWD = 8, ROUNDS = 5 };

static void
crowd(void)
{
	int ends[2], here = 0;

	CHECK(pipe(ends) == 0);
#pragma omp parallel num_threads(CROWD) reduction(+ : here)
	{
		char byte[CROWD - 1] = "";

		if (omp_get_thread_num() == CROWD - 1)
			here = write(ends[1], byte, sizeof byte) == sizeof byte;
		else
			here = read(ends[0], byte, 1) == 1;
	}
	CHECK(here == CROWD, "%d", here);
	close(ends[0]);
	close(ends[1]);
}

static void
child_part(void)
{
	check_alarm();
	for (int i = 0; i < ROUNDS; i++)
		crowd();
	_exit(check_failures ? 1 : 7);
}

int
main(void)
{
	int threads = omp_get_max_threads();

	omp_set_max_active_levels(2);
	for (int forker = 0; forker < threads; forker++) {
		int status = -1;
		pid_t child = 0;

#pragma omp parallel
		if (omp_get_thread_num() == forker) {
			child = fork();
			if (child == 0)
				child_part();
		}
		CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 7,
		      "forker %d: %x", forker, status);
	}
	return check_end();
}
