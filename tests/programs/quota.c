// In a control group with a quota of half a CPU the default is one thread; numbers that the program or the user sets
// still count. Where no group can be made (not root, nothing mounted for writing), only a note is printed.
// stock: fails (does not look at quotas)
#include <errno.h>
#include <omp.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "check.h"

static char folder[200];

static int
put(const char *name, const char *text)
{
	char path[300];

	snprintf(path, sizeof path, "%s/%s", folder, name);
	FILE *file = fopen(path, "w");

	if (!file)
		return -1;
	int bad = fputs(text, file) < 0;

	return fclose(file) || bad ? -1 : 0;
}

static int
group_make(void)
{
	static const char *const tops[] = {"/sys/fs/cgroup/cpu", "/sys/fs/cgroup"};

	for (int i = 0; i < 2; i++) {
		snprintf(folder, sizeof folder, "%s/fg-test-%d", tops[i], getpid());
		if (mkdir(folder, 0700))
			continue;
		if (!put("cpu.cfs_quota_us", "50000") || !put("cpu.max", "50000 100000"))
			return 0;
		rmdir(folder);
	}
	return -1;
}

/* In the group: the answer of another program, started there with OMP_NUM_THREADS=number if there is one. */
static int
inside(const char *self, const char *number)
{
	int status = -1;
	pid_t pid = fork();

	if (pid == 0) {
		if (put("cgroup.procs", "0"))
			_exit(99);
		if (number)
			setenv("OMP_NUM_THREADS", number, 1);
		execl(self, self, "tell", (char *)NULL);
		_exit(98);
	}
	waitpid(pid, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

int
main(int argc, char **argv)
{
	if (argc > 1) {
		int size = 0, max = omp_get_max_threads();

#pragma omp parallel
#pragma omp single
		size = omp_get_num_threads();
		return size == max ? size : 97;
	}
	if (group_make()) {
		printf("no control group can be made here: %s\n", strerror(errno));
		return 0;
	}
	int first = inside(argv[0], NULL), second = inside(argv[0], "3");

	for (int i = 0; rmdir(folder) && i < 100; i++)
		usleep(10000);
	CHECK(first == 1, "%d", first);
	CHECK(second == 3, "%d", second);
	return check_end();
}
