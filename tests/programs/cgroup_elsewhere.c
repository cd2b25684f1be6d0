// Control groups that do not lie at their usual place: the list of mounts is read, too. Members wait for long, so
// workers suspect that PUs were taken from the process. A library with assertions ends where one of them opens a file
// or calls malloc. Where nothing can be mounted (not root), only a note is printed.
// threads: 4
// env: -
// env: OMP_STACKSIZE=16K
// limit: 60
#define _GNU_SOURCE
#include <errno.h>
#include <omp.h>
#include <sched.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/wait.h>

#include "check.h"

static int
regions(void)
{
	omp_set_max_active_levels(2);
	for (int r = 0; r < 20; r++)
#pragma omp parallel num_threads(4)
	{
		if (omp_get_thread_num() == r % 4)
			check_burn(25000);
#pragma omp barrier
#pragma omp parallel num_threads(2)
		check_burn(200);
	}
	return check_end();
}

static int
hide_groups(void)
{
	return unshare(CLONE_NEWNS) || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
	       mount("none", "/sys/fs/cgroup", "tmpfs", 0, NULL);
}

int
main(int argc, char **argv)
{
	int status = -1;

	if (argc > 1)
		return regions();
	pid_t pid = fork();
	if (pid == 0) {
		if (hide_groups()) {
			printf("nothing can be mounted here: %s\n", strerror(errno));
			_exit(0);
		}
		execl("/proc/self/exe", argv[0], "hidden", (char *)NULL);
		_exit(98);
	}
	waitpid(pid, &status, 0);
	CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0, "%x", (unsigned)status);
	return check_end();
}
