// fork before the first region: parent and child each run regions of their own.
// threads: 1 2 8
#include <omp.h>
#include <sys/wait.h>

#include "check.h"

static int
regions(void)
{
	int sum = 0, threads = omp_get_max_threads();

	for (int i = 0; i < 20; i++) {
#pragma omp parallel reduction(+ : sum)
		sum++;
	}
	omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2) reduction(+ : sum)
	{
#pragma omp parallel num_threads(3) reduction(+ : sum)
		sum++;
	}
	return sum == 20 * threads + 6;
}

int
main(void)
{
	int status = -1;
	pid_t child = fork();

	if (child == 0)
		_exit(regions() ? 7 : 1);
	CHECK(regions());
	CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 7, "%x", status);
	return check_end();
}
