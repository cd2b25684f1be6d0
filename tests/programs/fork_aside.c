// fork while a bubble scheduler has put members aside, or holds the lock of the runqueue that they lie on: the child
// does not have that region, so it must neither run them nor wait for the lock. Its own regions work. The scheduler is
// a file beside the program, which is run twice.
// threads: 2
// limit: 60
// library: fork_aside_module.c
// stock: fails (has no bubble schedulers)
#define _GNU_SOURCE
#include <dlfcn.h>
#include <limits.h>
#include <omp.h>
#include <string.h>
#include <sys/wait.h>

#include "check.h"

enum { AT_ONCE, ASIDE, LOCKED, MEMBERS = 4, CROWD = 8, SECONDS = 4 };

static unsigned *does, *has, *goes_on;
static int strangers, is_child;

// There are more members than PUs, and all but the last wait in the kernel for that one. The monitor must see this; it
// also looks at the entities that have been put aside.
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
	double end = omp_get_wtime() + SECONDS;

	is_child = 1;
	*does = AT_ONCE;
	check_alarm();
	while (omp_get_wtime() < end)
		crowd();
	CHECK(strangers == 0, "the child runs %d members of the parent's region", strangers);
	_exit(check_failures ? 1 : 7);
}

static void
fork_while(unsigned what)
{
	int members = 0, status = -1;
	pid_t child = 0;

	*does = what;
	*goes_on = *has = 0;
#pragma omp parallel num_threads(2)
	if (omp_get_thread_num() == 1) {
#pragma omp parallel num_threads(MEMBERS)
		{
			strangers += is_child;
#pragma omp atomic
			members++;
		}
	} else {
		while (!__atomic_load_n(has, __ATOMIC_ACQUIRE))
			usleep(1000);
		child = fork();
		if (child == 0)
			child_part();
		__atomic_store_n(goes_on, 1, __ATOMIC_RELEASE);
	}
	CHECK(members == MEMBERS, "%d", members);
	CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 7, "status %x",
	      status);
}

int
main(int argc, char **argv)
{
	char path[PATH_MAX + 32];
	ssize_t length = readlink("/proc/self/exe", path, PATH_MAX);

	path[length > 0 ? length : 0] = 0;
	strcpy(strrchr(path, '/'), "/fork_aside_module.so");
	if (argc == 1) {
		setenv("FGOMP_SCHED", path, 1);
		execl("/proc/self/exe", argv[0], "again", NULL);
		return 1;
	}
	void *plugin = dlopen(path, RTLD_NOW | RTLD_NOLOAD);
	CHECK(plugin, "%s", dlerror());
	if (!plugin)
		return check_end();
	does = dlsym(plugin, "aside_does");
	has = dlsym(plugin, "aside_has");
	goes_on = dlsym(plugin, "aside_goes_on");
	omp_set_max_active_levels(2);
	fork_while(ASIDE);
	fork_while(LOCKED);
	return check_end();
}
