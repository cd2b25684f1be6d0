/* Points: the newest are kept, and the newest has the number 0. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "samples/points.h"

static void
newest(void **state)
{
	(void)state;
	assert_true(fg_points_make() && fg_points_make());
	assert_int_equal(fg_points_count(), 0);
	for (uintptr_t i = 0; i < 3 * FG_POINTS + 5; i++) {
		fg_point_add((struct fg_point){.address = i, .page = -1});
		unsigned count = i + 1 < FG_POINTS ? (unsigned)i + 1 : FG_POINTS;
		assert_int_equal(fg_points_count(), count);
		assert_int_equal(fg_point(0)->address, i);
		assert_int_equal(fg_point(count / 2)->address, i - count / 2);
		assert_int_equal(fg_point(count - 1)->address, i - (count - 1));
	}
	fg_point(7)->page = 3;
	fg_point_add((struct fg_point){.address = 1, .page = -1});
	assert_int_equal(fg_point(8)->page, 3);
	assert_int_equal(fg_point(7)->page, -1);
	fg_points_drop();
	assert_int_equal(fg_points_count(), 0);
	fg_point_add((struct fg_point){.address = 9});
	assert_int_equal(fg_points_count(), 1);
	assert_int_equal(fg_point(0)->address, 9);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(newest)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
