/* Nest locks: a task does not own the lock of another, however many tasks have asked for one. */
#include "team/lock/lock.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

/* So many tasks after one another; a word of the lock may have fewer bits than their count. */
static const uint64_t later[] = {1, UINT64_C(1) << 30, UINT64_C(1) << 31, UINT64_C(1) << 32, UINT64_C(1) << 62};

static void
owners_far_apart(void **state)
{
	(void)state;
	for (unsigned i = 0; i < sizeof later / sizeof *later; i++) {
		struct fg_nest_lock lock;
		fg_nest_lock_init(&lock);
		fg_nest_lock_set(&lock, 1);
		assert_int_equal(fg_nest_lock_test(&lock, 1), 2);
		assert_int_equal(fg_nest_lock_test(&lock, 1 + later[i]), 0);
		fg_nest_lock_unset(&lock);
		assert_int_equal(fg_nest_lock_test(&lock, 1 + later[i]), 0);
		fg_nest_lock_unset(&lock);
		assert_int_equal(fg_nest_lock_test(&lock, 1 + later[i]), 1);
		assert_int_equal(fg_nest_lock_test(&lock, 1), 0);
		fg_nest_lock_unset(&lock);
	}
}

/* The same task has the same number each time. */
static void
owner_stays(void **state)
{
	(void)state;
	uint64_t here = fg_lock_owner_task();
	assert_true(here != 0);
	assert_true(fg_lock_owner_task() == here);
	assert_true(fg_lock_owner_thread() == fg_lock_owner_thread());
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(owners_far_apart),
		cmocka_unit_test(owner_stays),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
