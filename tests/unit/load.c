/* Load by others, read from texts like /proc/stat, and from two looks. */
#include "machine/load.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static const char stat[] = "cpu  111 222 333 444 555 666 777 888 0 0\n"
			   "cpu0 1 2 3 1000 2000 4 5 6 1 2\n"
			   "cpu1 10 20 30 1000 2000 40 50 60 7 7\n"
			   "cpu10 100 200 300 1000 2000 400 500 600 0 0\n"
			   "cpu11 7 0 0 1000\n"
			   "intr 12345 6 7\n"
			   "cpu2 1 1 1 1 1 1 1 1\n";

static double
busy(unsigned first, unsigned second)
{
	struct fg_cpuset mask;
	double ticks = -1;
	fg_cpuset_clear(&mask);
	fg_cpuset_add(&mask, first);
	fg_cpuset_add(&mask, second);
	return fg_load_busy_ticks(stat, &mask, &ticks) ? ticks : -1;
}

static void
ticks(void **state)
{
	double none;
	assert_true(busy(0, 0) == 21);
	assert_true(busy(0, 1) == 231);
	assert_true(busy(10, 1) == 2310);
	assert_true(busy(10, 3) == 2100);
	assert_true(busy(2, 3) == -1); /* not there; a line after the list does not count */
	struct fg_cpuset mask;
	fg_cpuset_clear(&mask);
	fg_cpuset_add(&mask, 0);
	assert_false(fg_load_busy_ticks("", &mask, &none));
	assert_false(fg_load_busy_ticks("btime 5\n", &mask, &none));
	assert_true(fg_load_busy_ticks("cpu0 5", &mask, &none) && none == 5);
}

static void
between(void **state)
{
	struct fg_load before = {100, 50, 20}, idle = {102, 50, 20}, own = {102, 53, 23}, mixed = {102, 54, 21},
		       odd = {102, 51, 22};
	assert_true(fg_load_between(&before, &idle) == 0);
	assert_true(fg_load_between(&before, &own) == 0);
	assert_true(fg_load_between(&before, &mixed) == 1.5);
	assert_true(fg_load_between(&before, &odd) == 0); /* ticks are coarse */
}

int
main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(ticks), cmocka_unit_test(between)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
