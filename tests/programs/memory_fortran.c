// The module for Fortran has all calls of the headers, and they do what they do in C. (The calls are in a library,
// because a linker that knows gcc's libgomp only refuses a program that calls them.)
// threads: 4
// library: memory_fortran_module.f90
// stock: fails (the calls are ForestGOMP's)
#include <dlfcn.h>
#include <libgen.h>
#include <omp.h>
#include <string.h>

#include "check.h"

int
main(void)
{
	char path[4096] = "";
	CHECK(readlink("/proc/self/exe", path, sizeof path - 1) > 0);
	strcat(dirname(path), "/memory_fortran_module.so");
	void *module = dlopen(path, RTLD_NOW);
	CHECK(module, "%s", dlerror());
	if (module) {
		int (*run)(void) = (int (*)(void))dlsym(module, "memory_fortran");
		int wrong = run ? run() : -1;
		CHECK(wrong == 0, "step %d", wrong);
	}
	return check_end();
}
