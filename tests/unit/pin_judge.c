/* The test of `forestgomp pin`: exact chances, and how often it is wrong where nothing differs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "pin.h"

/* Of tables of the distribution of U: the numbers of orders with at most u, of all. */
static void
tables(void **state)
{
	const double low[] = {1, 2, 3, 4}, high[] = {5, 6, 7, 8}, mixed[] = {1, 3, 5, 7}, other[] = {2, 4, 6, 8};
	assert_float_equal(pin_chance(low, 3, high, 3), 1. / 20, 1e-9);
	assert_float_equal(pin_chance(low, 4, high, 4), 1. / 70, 1e-9);
	assert_float_equal(pin_chance(low, 4, high, 3), 1. / 35, 1e-9);
	assert_float_equal(pin_chance(high, 4, low, 4), 1, 1e-9);
	assert_float_equal(pin_chance(mixed, 4, other, 4), 24. / 70, 1e-9); /* U = 6 */
	assert_float_equal(pin_chance(low, 4, low, 4), 53. / 70, 1e-9);	    /* U = 10: ties speak against it */
	assert_float_equal(pin_chance(low, 0, high, 3), 1, 1e-9);
}

/* Pure noise: it is certain in at most one of twenty cases. */
static void
noise(void **state)
{
	enum { CASES = 20000 };
	for (unsigned n = 3; n <= 8; n++) {
		unsigned certain = 0;
		srand(n);
		for (unsigned i = 0; i < CASES; i++) {
			double a[8], b[8];
			for (unsigned k = 0; k < n; k++) {
				a[k] = rand();
				b[k] = rand();
			}
			certain += pin_chance(a, n, b, n) <= 0.05;
		}
		assert_in_range(certain, CASES / 100, CASES * 11 / 200); /* chance makes 5% at most; a tenth more */
	}
}

static void
medians(void **state)
{
	struct pin_candidate one = {.time = {5, 1, 9}, .runs = 3};
	assert_true(pin_median(&one) == 5 && pin_least(&one) == 1);
	one.time[one.runs++] = 7;
	assert_true(pin_median(&one) == 6);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(tables), cmocka_unit_test(noise),
					   cmocka_unit_test(medians)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
