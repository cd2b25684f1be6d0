// dlopen of a library with static thread-local storage while a team is alive: every member, running or waiting, gets
// its block.
// threads: 1 2 8 32
// library: late_tls_module.c
#include <dlfcn.h>
#include <omp.h>
#include <string.h>

#include "check.h"

static int *(*late)(void), *(*zero)(void);

static void
load(void)
{
	char path[4096] = "";
	ssize_t length = readlink("/proc/self/exe", path, sizeof path - 40);

	path[length > 0 ? length : 0] = 0;
	strcpy(strrchr(path, '/'), "/late_tls_module.so");
	void *module = dlopen(path, RTLD_NOW);

	if (!module) {
		fprintf(stderr, "%s\n", dlerror());
		exit(1);
	}
	late = (int *(*)(void))dlsym(module, "late_address");
	zero = (int *(*)(void))dlsym(module, "zero_address");
}

int
main(void)
{
	int threads = omp_get_max_threads();
	int *seen[32];

	omp_set_max_active_levels(2);
#pragma omp parallel num_threads(threads + 2)
	usleep(100);
#pragma omp parallel
	{
		int me = omp_get_thread_num();

#pragma omp barrier
		if (me == threads - 1)
			load();
#pragma omp barrier
		CHECK(*late() == 1234 && *zero() == 0, "%d has %d", me, *late());
		*late() = me;
		*zero() = -me;
		seen[me] = late();
#pragma omp barrier
		CHECK(*late() == me && *zero() == -me && late() == seen[me]);
		for (int i = 0; i < me; i++)
			CHECK(seen[i] != seen[me]);
	}
	/* Threads that were idle then, and new ones. */
#pragma omp parallel num_threads(threads + 6)
	if (omp_get_thread_num() >= threads)
		CHECK(*late() == 1234 && *zero() == 0, "%d has %d", omp_get_thread_num(), *late());
#pragma omp parallel num_threads(2)
	{
		int *mine = late(), before = *mine;

#pragma omp parallel num_threads(3)
		if (omp_get_thread_num())
			*late() = 99;
		CHECK(*mine == before && late() == mine);
	}
	return check_end();
}
