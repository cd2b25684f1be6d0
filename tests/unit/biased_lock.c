/* Unit tests of the biased lock's state: it becomes even where threads lock often, and biased again afterwards. The
 * interleavings are in interleave/live.c. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "base/carrier.h"
#include "forest/biased_lock.h"

#include <cmocka.h>

#define LONG_NS 1000000000

static uint64_t clock_ns = 1;

static uint64_t
now(void)
{
	return clock_ns += 1000;
}

static const struct fg_carrier stepped = {.name = "unit", .now = now};
static struct fg_biased_lock lock = FG_BIASED_LOCK_INIT(FG_RANK_LIVE);
static struct fg_biased_side side;

static void
lock_it(void)
{
	fg_biased_lock(&lock);
	assert_true(fg_load_relaxed(&lock.state) & FG_BIASED_SHUT);
	fg_biased_unlock(&lock);
}

static void
enter(void)
{
	assert_true(fg_biased_enter(&lock, &side));
	assert_int_equal(fg_load_relaxed(&side.inside), 1);
	fg_biased_leave(&lock, &side, true);
	assert_int_equal(fg_load_relaxed(&side.inside), 0);
}

static void
even_while_locked_often(void **state)
{
	(void)state;
	fg_carrier = &stepped;
	fg_biased_add(&lock, &side);
	lock_it();
	assert_int_equal(fg_load_relaxed(&lock.state), 0);
	clock_ns += LONG_NS;
	lock_it();
	assert_int_equal(fg_load_relaxed(&lock.state), 0);
	lock_it();
	assert_int_equal(fg_load_relaxed(&lock.state), FG_BIASED_EVEN);
	enter();
	lock_it();
	assert_int_equal(fg_load_relaxed(&lock.state), FG_BIASED_EVEN);
	clock_ns += LONG_NS;
	lock_it();
	assert_int_equal(fg_load_relaxed(&lock.state), 0);
	enter();
}

static void
biased_again_when_threads_enter(void **state)
{
	(void)state;
	lock_it();
	lock_it();
	for (unsigned i = 0; i < 1000; i++)
		enter();
	assert_int_equal(fg_load_relaxed(&lock.state), FG_BIASED_EVEN);
	clock_ns += LONG_NS;
	for (unsigned i = 0; i < 1000; i++)
		enter();
	assert_int_equal(fg_load_relaxed(&lock.state), 0);
	lock_it();
	assert_int_equal(fg_load_relaxed(&lock.state), 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(even_while_locked_often),
		cmocka_unit_test(biased_again_when_threads_enter),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
