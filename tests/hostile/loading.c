// A member loads a module whose constructor takes long, so that the loader's lock is held meanwhile; others open the
// first nested regions, for which the runtime may want to load a library itself.
// finding: 3
// library: loading_module.c
// cflags: -rdynamic -ldl
#include <dlfcn.h>
#include <errno.h>
#include <libgen.h>
#include <limits.h>
#include <sched.h>
#include <sys/syscall.h>

#include "crowd.h"

#define MEMBERS 8
#define PUS 4 /* as a machine must have so many before the runtime looks at its tree */

static atomic_int loading, opened, constructed;

/* The process has four PUs, as far as it asks the C library. */
int
sched_getaffinity(pid_t pid, size_t size, cpu_set_t *set)
{
	memset(set, 0, size);
	if (syscall(SYS_sched_getaffinity, pid, size, set) < 0)
		return -1;
	for (int i = 0; i < PUS && CPU_COUNT_S(size, set) < PUS; i++)
		CPU_SET_S(i, size, set);
	return 0;
}

int
pthread_getaffinity_np(pthread_t thread, size_t size, cpu_set_t *set)
{
	(void)thread; /* none is bound */
	return sched_getaffinity(0, size, set) ? errno : 0;
}

/* Until a member is on the way into a nested region, and for some slices more. */
void
loading_constructed(void)
{
	loading = 1;
	while (!opened)
		;
	for (volatile int i = 0; i < 150000000; i++)
		;
	constructed++;
}

static void
load(const char *program)
{
	char path[PATH_MAX];

	strcpy(path, program);
	strcpy(path + strlen(dirname(path)), "/loading_module.so");
	CHECK(dlopen(path, RTLD_NOW) != NULL, "%s", dlerror());
}

int
main(int argc, char **argv)
{
	int sum = 0;

	(void)argc;
	omp_set_max_active_levels(2);
#pragma omp parallel num_threads(MEMBERS) reduction(+ : sum)
	{
		if (omp_get_thread_num() == 0) {
			load(argv[0]);
		} else {
			while (!loading)
				;
			opened = 1;
#pragma omp parallel num_threads(2) reduction(+ : sum)
			sum++;
		}
	}
	CHECK(sum == 2 * (MEMBERS - 1), "%d", sum);
	CHECK(constructed == 1, "%d", constructed);
	return check_end();
}
