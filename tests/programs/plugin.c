// dlopen and dlclose of a plug-in that brings the OpenMP runtime with it, while its workers are docked or asleep.
// threads: 2 8
// stock: fails (unloaded while its threads are in it)
// cflags: -fno-openmp
// library: plugin_module.c
#include <dlfcn.h>
#include <pthread.h>
#include <string.h>

#include "check.h"

static char path[4096];

static void *
use(void *arg)
{
	void *module = dlopen(path, RTLD_NOW | RTLD_LOCAL);

	if (!module) {
		fprintf(stderr, "%s\n", dlerror());
		exit(1);
	}
	int (*sum)(int) = (int (*)(int))dlsym(module, "plugin_sum");

	for (int i = 0; i < 5; i++)
		CHECK(sum(6) == 15 && sum(3) == 3);
	CHECK(dlclose(module) == 0);
	return arg;
}

int
main(void)
{
	ssize_t length = readlink("/proc/self/exe", path, sizeof path - 40);

	path[length > 0 ? length : 0] = 0;
	strcpy(strrchr(path, '/'), "/plugin_module.so");
	for (int i = 0; i < 10; i++) {
		pthread_t thread;

		use(NULL);
		if (i % 3 == 0)
			usleep(50000);
		pthread_create(&thread, NULL, use, NULL);
		if (i % 2)
			use(NULL);
		pthread_join(thread, NULL);
	}
	usleep(50000);
	return check_end();
}
