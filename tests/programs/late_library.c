// The runtime comes with a module that dlopen loads, stays when dlclose drops the module, and goes on where it was when
// that comes back. It takes no more static thread-local storage than libgomp, or dlopen could fail.
// cflags: -fno-openmp
// library: late_library_module.c
// env: OMP_NUM_THREADS=4
// env: OMP_NUM_THREADS=4 FGOMP_THREADS=kernel
// stock: fails (dlclose unmaps it, threads and all)
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <string.h>

#include "check.h"

static char path[4096];
static size_t storage;
static int copies;

static int
look(struct dl_phdr_info *info, size_t size, void *arg)
{
	(void)size, (void)arg;
	if (!strstr(info->dlpi_name, "/libgomp.so.1"))
		return 0;
	copies++;
	for (int i = 0; i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_TLS)
			storage += info->dlpi_phdr[i].p_memsz;
	return 0;
}

/* The result of the module, which is loaded for this one call. */
static int
visit(int flags, int threads)
{
	void *module = dlopen(path, RTLD_NOW | flags);

	CHECK(module != NULL, "%s", dlerror());
	if (!module)
		exit(1);
	int (*region)(int) = (int (*)(int))dlsym(module, "late_region");
	int result = region(threads);

	CHECK((dlsym(RTLD_DEFAULT, "GOMP_parallel") != NULL) == (flags == RTLD_GLOBAL));
	dlclose(module);
	CHECK(dlopen(path, RTLD_NOW | RTLD_NOLOAD) == NULL, "the module is still there");
	return result;
}

static void *
visitor(void *arg)
{
	(void)arg;
	CHECK(visit(RTLD_LOCAL, 3) == 4);
	CHECK(visit(RTLD_LOCAL, 5) == 6);
	return NULL;
}

int
main(void)
{
	pthread_t thread;

	CHECK(readlink("/proc/self/exe", path, sizeof path - 40) > 0);
	strcpy(strrchr(path, '/'), "/late_library_module.so");
	CHECK(dlsym(RTLD_DEFAULT, "GOMP_parallel") == NULL, "the program has the runtime already");
	/* Each call adds one to the number that was OMP_NUM_THREADS, and so does the module's destructor. */
	CHECK(visit(RTLD_LOCAL, 4) == 4);
	usleep(20000); /* the workers sleep by then */
	CHECK(visit(RTLD_LOCAL, 7) == 6);
	for (int i = 0; i < 2; i++) {
		pthread_create(&thread, NULL, visitor, NULL);
		pthread_join(thread, NULL);
	}
	CHECK(visit(RTLD_GLOBAL, 2) == 8);
	dl_iterate_phdr(look, NULL);
	CHECK(copies == 1, "%d", copies);
	CHECK(storage <= 192, "%zu bytes", storage); /* with assertions there is more of it */
	return check_end();
}
