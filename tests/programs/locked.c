// A program wants all its memory locked, now and later, in regions with more members than PUs. The runtime takes no
// more memory than libgomp takes for the stacks of as many threads, and a stack for each spare. These take over where
// members block, or where other programs keep a PU for so long that its thread seems to block. There is at most one for
// each member. The data that members have on their stacks are locked.
// threads: 8
// cpus: 2
// env: OMP_STACKSIZE=8M
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <omp.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

#include "check.h"

enum { THREADS = 8, STACK_KB = 8192, LIBGOMP_KB = (THREADS - 1) * STACK_KB, SLACK_KB = STACK_KB };

static uintptr_t stands[THREADS];

static long
resident(void)
{
	long pages = 0;
	FILE *file = fopen("/proc/self/statm", "r");

	if (fscanf(file, "%*d %ld", &pages) != 1)
		pages = 0;
	fclose(file);
	return pages * (sysconf(_SC_PAGESIZE) / 1024);
}

static int
spares(void)
{
	DIR *tasks = opendir("/proc/self/task");
	struct dirent *task;
	int count = 0;

	while ((task = readdir(tasks))) {
		char name[300], text[32] = "";
		snprintf(name, sizeof name, "/proc/self/task/%s/comm", task->d_name);
		FILE *file = task->d_name[0] == '.' ? NULL : fopen(name, "r");

		count += file && fgets(text, sizeof text, file) && strcmp(text, "fg-spare\n") == 0;
		if (file)
			fclose(file);
	}
	closedir(tasks);
	return count;
}

static void
memory_is_bounded(long before)
{
	int helpers = spares();
	long more = resident() - before;

	CHECK(more < LIBGOMP_KB + SLACK_KB + helpers * STACK_KB, "%ld KiB with %d spares", more, helpers);
	CHECK(helpers <= THREADS, "%d spares", helpers);
}

static void
spin(void)
{
	int here = 0;

#pragma omp parallel
	{
		stands[omp_get_thread_num()] = (uintptr_t)__builtin_frame_address(0);
		__atomic_fetch_add(&here, 1, __ATOMIC_RELAXED);
		while (__atomic_load_n(&here, __ATOMIC_RELAXED) < omp_get_num_threads())
			;
	}
}

static void
block(void)
{
#pragma omp parallel
	usleep(5000);
}

// The mapping that each member stood on has the flag "lo".
static void
stacks_are_locked(void)
{
	char line[4200];
	int locked = 0;
	uintptr_t start = 0, end = 0, from, to;
	FILE *maps = fopen("/proc/self/smaps", "r");

	while (fgets(line, sizeof line, maps)) {
		if (sscanf(line, "%" SCNxPTR "-%" SCNxPTR " ", &from, &to) == 2) {
			start = from;
			end = to;
		}
		for (int i = 0; i < THREADS && !strncmp(line, "VmFlags:", 8) && strstr(line, " lo"); i++)
			locked += stands[i] >= start && stands[i] < end;
	}
	fclose(maps);
	CHECK(locked == THREADS, "%d of %d", locked, THREADS);
}

int
main(void)
{
	if (mlockall(MCL_CURRENT | MCL_FUTURE) != 0) {
		printf("memory cannot be locked here: %s\n", strerror(errno));
		return 0;
	}
	long before = resident();
	for (int i = 0; i < 20; i++)
		spin();
	memory_is_bounded(before);
	stacks_are_locked();
	for (int i = 0; i < 5; i++)
		block();
	memory_is_bounded(before);
	return check_end();
}
