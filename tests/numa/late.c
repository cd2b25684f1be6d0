// Python and its wheels: a program without OpenMP fills memory of malloc, and then loads a module that computes in it.
// The runtime comes with the module, so no thread has a seat. Workers return to their nodes all the same.
// cflags: -fno-openmp
// library: late_module.c
// count: yes
// env: OMP_NUM_THREADS=16 FGOMP_MEMORY=auto
// limit: 60
// again: pages move by samples
#include <dlfcn.h>
#include <string.h>

#include "../programs/check.h"

enum { BYTES = 48 << 20 };

int
main(void)
{
	char path[4096], *slash;
	int (*compute)(double *, size_t);
	double *array = malloc(BYTES);
	ssize_t length = readlink("/proc/self/exe", path, sizeof path - 32);
	CHECK(array && length > 0);
	path[length > 0 ? length : 0] = '\0';
	slash = strrchr(path, '/');
	CHECK(slash);
	strcpy(slash + 1, "late_module.so");
	for (size_t i = 0; i < BYTES / sizeof *array; i++)
		array[i] = 1;
	void *module = dlopen(path, RTLD_NOW);
	CHECK(module, "%s", dlerror());
	*(void **)&compute = module ? dlsym(module, "compute") : NULL;
	CHECK(compute);
	int status = compute ? compute(array, BYTES / sizeof *array) : 1;
	free(array);
	return check_end() || status;
}
