// A processor goes offline within a region of more threads than PUs, and comes back: a bubble scheduler is told which,
// the threads go on meanwhile.
// threads: 32
// library: ../programs/usable_pus_module.c
// env: FGOMP_SCHED=/programs/usable_pus_module.so OMP_PLACES=threads
// limit: 60
#define _GNU_SOURCE
#include <dlfcn.h>
#include <omp.h>
#include <stdlib.h>
#include <unistd.h>

#include "../programs/check.h"

static unsigned *told, *usable, *first_pu;

static void
processor(int cpu, const char *online)
{
	char path[64];
	sprintf(path, "/sys/devices/system/cpu/cpu%d/online", cpu);
	FILE *file = fopen(path, "w");
	CHECK(file && fputs(online, file) >= 0 && fclose(file) == 0, "cpu%d cannot be set to %s", cpu, online);
}

static void
wait_for(unsigned changes)
{
	for (int i = 0; i < 2000 && __atomic_load_n(told, __ATOMIC_ACQUIRE) < changes; i++)
		usleep(10000);
	CHECK(*told == changes, "%u changes told instead of %u", *told, changes);
}

int
main(void)
{
	void *plugin = dlopen(getenv("FGOMP_SCHED"), RTLD_NOW | RTLD_NOLOAD);
	CHECK(plugin, "%s", dlerror());
	told = dlsym(plugin, "usable_told");
	usable = dlsym(plugin, "usable_now");
	first_pu = dlsym(plugin, "usable_first_pu");
	unsigned over = 0, sum = 0;
#pragma omp parallel
	{
#pragma omp master
		{
			processor(5, "0");
			wait_for(1);
			CHECK(*usable == 15 && *first_pu == 5, "%u usable, not PU %u", *usable, *first_pu);
			processor(5, "1");
			wait_for(2);
			CHECK(*usable == 16 && *first_pu == 5, "%u usable, not PU %u", *usable, *first_pu);
			__atomic_store_n(&over, 1, __ATOMIC_RELEASE);
		}
		// Where there are 15 PUs, too, all threads come to this.
		while (!__atomic_load_n(&over, __ATOMIC_ACQUIRE))
			usleep(1000);
#pragma omp atomic
		sum += 1;
	}
	CHECK(sum == 32);
	return check_end();
}
