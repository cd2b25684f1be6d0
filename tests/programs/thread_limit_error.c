// At a limit of threads, a region whose members can never be born ends the program with libgomp's line. This comes soon
// after all threads wait.
// limit: 60
#include <errno.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "check.h"

#define NOBODY 54323 /* has no other process */
#define RUNS 5
#define MUCH 4.0

static int
region(int most)
{
	struct rlimit limit = {(rlim_t)most, (rlim_t)most};
	if (setuid(NOBODY) || setrlimit(RLIMIT_NPROC, &limit))
		return 2;
#pragma omp parallel num_threads(4)
#pragma omp parallel num_threads(8)
	{
#pragma omp barrier
	}
	return 0;
}

int
main(int argc, char **argv)
{
	if (argc == 2)
		return region(atoi(argv[1]));
	if (getuid() != 0)
		return check_skip("only root can become a user without other processes");
	setenv("OMP_MAX_ACTIVE_LEVELS", "2", 1);
	double least = 1e9;
	int errors = 0;
	for (int i = 0; i < RUNS && least > MUCH; i++) {
		char command[300], line[300] = "";
		snprintf(command, sizeof command, "timeout 20 %s %d 2>&1", argv[0], 7 + i);
		double begin = check_now();
		FILE *pipe = popen(command, "r");
		while (fgets(line, sizeof line, pipe))
			errors += strstr(line, "Thread creation failed") != NULL;
		int status = WEXITSTATUS(pclose(pipe));
		CHECK(status == 0 || status == 1, "status %d", status);
		double took = check_now() - begin;
		least = status == 1 && took < least ? took : least;
	}
	CHECK(!errors || least < MUCH, "the error came after %g s", least);
	return check_end();
}
