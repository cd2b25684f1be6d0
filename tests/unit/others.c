/* Which file names are those of OpenMP runtimes. */
#include "platform/others.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static void
names(void **state)
{
	static const char *const runtimes[] = {"libgomp.so.1",
					       "/usr/lib/x86_64-linux-gnu/libgomp.so.1.0.0",
					       "/site/scikit_learn.libs/libgomp-a34b3233.so.1.0.0",
					       "/usr/lib/libomp.so.5",
					       "libomp-19.so.5",
					       "libomp5.so",
					       "/opt/intel/libiomp5.so",
					       "libiomp5-12ab.so",
					       "libnvomp.so"};
	static const char *const none[] = {"",
					   "libm.so.6",
					   "libgomp",
					   "/libgomp.so.d/libx.so",
					   "libomptarget.so",
					   "libompd.so",
					   "mylibgomp.so",
					   "libgomp-plugin.a",
					   "linux-vdso.so.1",
					   "libgompx.so.1",
					   "libiomp_notes.txt"};
	for (unsigned i = 0; i < sizeof runtimes / sizeof *runtimes; i++)
		assert_true(fg_others_is_runtime(runtimes[i]));
	for (unsigned i = 0; i < sizeof none / sizeof *none; i++)
		assert_false(fg_others_is_runtime(none[i]));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(names)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
