/* Does a worker have its PU for itself? Told by clocks that the test sets. */
#include "base/carrier.h"
#include "exec/grant/cpu_share.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#define MS UINT64_C(1000000)

static uint64_t now = 1000 * MS;
static struct fg_ran ran = {7 * MS, 3, 4};

static void
clock_ran(struct fg_ran *so_far)
{
	*so_far = ran;
}

static struct fg_cpu_share sharing;

/* Time passes, of which the thread runs for some; the rest it does not get. Returns the answer of the next look. */
static bool
pass(uint64_t passes, uint64_t runs)
{
	now += passes;
	ran.ns += runs;
	ran.forced += runs < passes;
	return fg_cpu_share_look(&sharing, 42, now);
}

static int
setup(void **state)
{
	static struct fg_carrier clocks;
	(void)state;
	clocks.ran = clock_ran;
	fg_carrier = &clocks;
	sharing = (struct fg_cpu_share){0};
	assert_false(pass(0, 0));
	return 0;
}

static void
alone(void **state)
{
	(void)state;
	for (int i = 0; i < 100; i++)
		assert_false(pass(2 * MS, 2 * MS - MS / 10)); /* interruptions of 0.1 ms every 2 */
	assert_false(pass(100 * MS, 95 * MS));
}

static void
asleep(void **state)
{
	(void)state;
	fg_cpu_share_slept(&sharing, 50 * MS);
	ran.blocked++;
	assert_false(pass(60 * MS, 10 * MS));
	assert_true(pass(60 * MS, 10 * MS)); /* its sleep counts once */
}

static void
shared(void **state)
{
	(void)state;
	assert_true(pass(6 * MS, 3 * MS));
	assert_true(pass(8 * MS, 8 * MS));
	assert_false(pass(3 * MS, 3 * MS)); /* 10 ms later */
	assert_true(pass(6 * MS, 3 * MS));  /* again, soon: for longer now */
	assert_true(pass(18 * MS, 18 * MS));
	assert_false(pass(3 * MS, 3 * MS));
	assert_false(pass(1000 * MS, 1000 * MS));
	assert_true(pass(6 * MS, 3 * MS)); /* after a long time alone it begins anew */
	assert_false(pass(11 * MS, 11 * MS));
}

/* Between two looks a millisecond passes, or nothing is known yet. */
static void
seldom(void **state)
{
	(void)state;
	assert_false(pass(MS / 2, 0));
	assert_true(pass(MS / 2, 0));
}

/* The program sleeps, or waits for a file: that is not lost. */
static void
blocked(void **state)
{
	(void)state;
	now += 100 * MS;
	ran.blocked++;
	assert_false(pass(MS, MS));
	now += 100 * MS;
	ran.blocked++;
	assert_false(pass(MS, MS / 2)); /* even if it was taken off its PU once, too */
	ran.blocked++;
	assert_true(pass(20 * MS, 5 * MS)); /* the turn of another program looks like this */
}

/* Another kernel thread has another clock. */
static void
other_thread(void **state)
{
	(void)state;
	now += 10 * MS;
	ran.ns = 0;
	assert_false(fg_cpu_share_look(&sharing, 43, now));
	now += 10 * MS;
	ran.ns = 10 * MS;
	assert_false(fg_cpu_share_look(&sharing, 43, now));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(alone, setup),	cmocka_unit_test_setup(asleep, setup),
		cmocka_unit_test_setup(shared, setup),	cmocka_unit_test_setup(seldom, setup),
		cmocka_unit_test_setup(blocked, setup), cmocka_unit_test_setup(other_thread, setup),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
