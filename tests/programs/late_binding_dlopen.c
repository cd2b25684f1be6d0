// A program without OpenMP loads a module that brings the library, under OMP_PROC_BIND. Its thread has all its CPUs
// after the load, after a question and after a region. So have its threads and children.
// threads: 2
// cpus: 2
// cflags: -fno-openmp
// library: late_binding_module.c
// env: OMP_PROC_BIND=true
// env: OMP_PROC_BIND=close FGOMP_THREADS=kernel
// limit: 60
// stock: fails (binds when it is loaded)
#define _GNU_SOURCE
#include <dlfcn.h>

#include "children.h"

int
main(int argc, char **argv)
{
	char path[4096];
	(void)argc;
	children_start();
	snprintf(path, sizeof path, "%.*s/late_binding_module.so", (int)(strrchr(argv[0], '/') - argv[0]), argv[0]);
	void *module = dlopen(path, RTLD_NOW);
	CHECK(module != NULL, "%s", dlerror());
	if (!module)
		return check_end();
	has_process_mask("loaded");
	int (*ask)(void) = (int (*)(void))dlsym(module, "ask"),
	    (*region)(void) = (int (*)(void))dlsym(module, "region");
	CHECK(ask() > 0);
	has_process_mask("asked");
	for (int round = 0; round < 3; round++) {
		CHECK(region() == 2);
		CHECK(kernel_count() == CPU_COUNT(&process), "bound after a region");
		children();
	}
	return check_end();
}
