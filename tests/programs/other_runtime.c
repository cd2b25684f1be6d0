// With FGOMP_VERBOSE, another OpenMP runtime in the process is named, whether it is there from the start or comes
// later.
// library: other_runtime_module.c
// stock: fails (says nothing)
#include <dlfcn.h>
#include <string.h>

#include "check.h"

static char folder[] = "/tmp/other_runtime-XXXXXX", library[100];

/* Lines that name the library, when this program runs again with the words before its name. */
static int
named(const char *words, const char *self, const char *argument)
{
	char command[5000], line[5000];
	int count = 0;

	snprintf(command, sizeof command, "%s %s %s 2>&1", words, self, argument);
	FILE *pipe = popen(command, "r");

	while (fgets(line, sizeof line, pipe))
		count += strstr(line, "another OpenMP runtime") && strstr(line, library);
	CHECK(pclose(pipe) == 0);
	return count;
}

int
main(int argc, char **argv)
{
	char module[4096] = "", verbose[300];

	if (argc > 1) {
		CHECK(!strcmp(argv[1], "-") || dlopen(argv[1], RTLD_NOW | RTLD_LOCAL), "%s", dlerror());
#pragma omp parallel
		check_burn(10);
		return check_end();
	}
	CHECK(readlink("/proc/self/exe", module, sizeof module - 40) > 0);
	strcpy(strrchr(module, '/'), "/other_runtime_module.so");
	CHECK(mkdtemp(folder) != NULL);
	snprintf(library, sizeof library, "%s/libiomp5.so", folder);
	CHECK(symlink(module, library) == 0);
	CHECK(named("FGOMP_VERBOSE=true", argv[0], "-") == 0);
	CHECK(named("FGOMP_VERBOSE=true", argv[0], library) == 1);
	snprintf(verbose, sizeof verbose, "FGOMP_VERBOSE=true LD_PRELOAD=%s", library);
	CHECK(named(verbose, argv[0], "-") == 1);
	CHECK(named("FGOMP_VERBOSE=false", argv[0], library) == 0);
	unlink(library);
	rmdir(folder);
	return check_end();
}
