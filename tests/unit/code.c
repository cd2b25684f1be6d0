/* Code without a build id (the linker is told so): its name is a digest of all of it, so it is read once. */
#include "platform/code.h"

#include <dlfcn.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <cmocka.h>

enum { SIZE = 64 };

static int
changed(void)
{
	return 1;
}

static void
name_here(char *name)
{
	assert_true(fg_code_name((uintptr_t)changed, name, SIZE));
	assert_int_equal(strcspn(name, "+"), 16);
}

/* The first byte of a function that nobody calls. */
static void
change(void)
{
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), at = (uintptr_t)changed & ~(page - 1);
	assert_int_equal(mprotect((void *)at, page, PROT_READ | PROT_WRITE | PROT_EXEC), 0);
	*(volatile unsigned char *)(uintptr_t)changed ^= 1;
	assert_int_equal(mprotect((void *)at, page, PROT_READ | PROT_EXEC), 0);
}

/* The digest would be another one, but nobody reads the code again until a module has gone. */
static void
read_once(void **state)
{
	char first[SIZE], again[SIZE];
	name_here(first);
	change();
	name_here(again);
	assert_string_equal(again, first);

	assert_null(dlopen("libresolv.so.2", RTLD_NOW | RTLD_NOLOAD));
	void *module = dlopen("libresolv.so.2", RTLD_NOW | RTLD_LOCAL);
	assert_non_null(module);
	assert_int_equal(dlclose(module), 0);
	name_here(again);
	assert_string_not_equal(again, first);
	(void)state;
}

/* A name from memory is that of the file, unless the code was changed. */
static void
same_in_file(void **state)
{
	char loaded[SIZE], file[SIZE];
	name_here(loaded);
	assert_true(
		fg_code_name_in_file("/proc/self/exe", strtoull(strchr(loaded, '+') + 1, NULL, 16), file, sizeof file));
	assert_string_equal(file, loaded);
	(void)state;
}

int
main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(same_in_file), cmocka_unit_test(read_once)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
