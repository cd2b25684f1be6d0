// PUs are taken away from the process and given back, as by taskset -ap. A bubble scheduler is told which, and threads
// that are bound to places are bound again. The program runs twice, because the scheduler stands in a file beside it.
// threads: 2
// limit: 60
// library: usable_pus_module.c
// stock: fails (has no bubble schedulers)
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <limits.h>
#include <omp.h>
#include <sched.h>
#include <string.h>

#include "check.h"

static cpu_set_t all;
static unsigned *told, *usable, *first_pu;

static void
narrow(const cpu_set_t *set)
{
	DIR *tasks = opendir("/proc/self/task");
	struct dirent *task;

	while ((task = readdir(tasks)))
		if (task->d_name[0] != '.')
			CHECK(sched_setaffinity(atoi(task->d_name), sizeof *set, set) == 0);
	closedir(tasks);
}

static void
wait_for(unsigned changes)
{
	CHECK_SOON(__atomic_load_n(told, __ATOMIC_ACQUIRE) >= changes, "%u changes told instead of %u", *told, changes);
	CHECK(*told == changes, "%u changes told instead of %u", *told, changes);
}

static cpu_set_t
mask(void)
{
	cpu_set_t set;

	CHECK(sched_getaffinity(0, sizeof set, &set) == 0);
	return set;
}

static int
last_cpu(void)
{
	int cpu = CPU_SETSIZE - 1;

	while (!CPU_ISSET(cpu, &all))
		cpu--;
	return cpu;
}

// More threads than PUs, so that the monitor looks after those that wait.
static void
more_threads(void)
{
	cpu_set_t one = all;

	CPU_CLR(last_cpu(), &one);
	usleep(300000);
	CHECK(*told == 0, "a PU is said to be away that is not");
	for (unsigned i = 0; i < 3; i++) {
		narrow(&one);
		wait_for(2 * i + 1);
		CHECK(*usable == 1 && *first_pu == 1, "%u usable, not PU %u", *usable, *first_pu);
		narrow(&all);
		wait_for(2 * i + 2);
		CHECK(*usable == 2 && *first_pu == 1);
	}
}

static void
are_bound_again(const cpu_set_t *before)
{
	for (;;) {
		int same = 1;
		cpu_set_t now = mask();

#pragma omp parallel num_threads(2) reduction(&& : same)
		{
			now = mask();
			same = CPU_EQUAL(&now, &before[omp_get_thread_num()]);
			usleep(1000);
		}
		if (same)
			return;
		usleep(10000); // some fall asleep
	}
}

int
main(int argc, char **argv)
{
	char path[PATH_MAX + 32];
	ssize_t length = readlink("/proc/self/exe", path, PATH_MAX);

	path[length > 0 ? length : 0] = 0;
	strcpy(strrchr(path, '/'), "/usable_pus_module.so");
	if (argc == 1) {
		all = mask();
		if (CPU_COUNT(&all) < 2)
			return check_skip("it needs two PUs");
		for (int left = CPU_COUNT(&all); left > 2; left--)
			CPU_CLR(last_cpu(), &all);
		narrow(&all);
		char mask_text[2 * sizeof all + 1], *at = mask_text;
		for (unsigned i = 0; i < sizeof all; i++)
			at += sprintf(at, "%02x", ((unsigned char *)&all)[i]);
		setenv("FGOMP_SCHED", path, 1);
		setenv("OMP_PLACES", "threads", 1);
		execl("/proc/self/exe", argv[0], mask_text, NULL);
		return 1;
	}
	for (unsigned i = 0, byte; i < sizeof all && sscanf(argv[1] + 2 * i, "%2x", &byte) == 1; i++)
		((unsigned char *)&all)[i] = (unsigned char)byte;
	void *plugin = dlopen(path, RTLD_NOW | RTLD_NOLOAD);
	CHECK(plugin, "%s", dlerror());
	if (!plugin)
		return check_end();
	told = dlsym(plugin, "usable_told");
	usable = dlsym(plugin, "usable_now");
	first_pu = dlsym(plugin, "usable_first_pu");

	cpu_set_t before[2];
#pragma omp parallel num_threads(2) proc_bind(spread)
	before[omp_get_thread_num()] = mask();
#pragma omp parallel num_threads(4)
	{
#pragma omp master
		more_threads();
#pragma omp barrier
	}
	are_bound_again(before);
	return check_end();
}
