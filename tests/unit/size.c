/* Unit tests of a region's size, without a running team: the ICVs, the levels around, the CPUs that the caller may
 * use, and the limit of a contention group. */
#include <limits.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "team/region/size.h"

#include <cmocka.h>

static struct fg_icv icv;
static struct fg_team outer;
static struct fg_identity self;

static int
begin(void **state)
{
	(void)state;
	icv = (struct fg_icv){.nthreads = 6, .thread_limit = UINT_MAX, .max_active_levels = 2};
	outer = (struct fg_team){.size = 4};
	self = (struct fg_identity){.thread.icv = &icv};
	return 0;
}

static void
takes_the_clause_or_nthreads(void **state)
{
	(void)state;
	assert_int_equal(fg_region_size(&self, 0), 6);
	assert_int_equal(fg_region_size(&self, 3), 3);
	assert_int_equal(fg_region_size(&self, 1), 1);
	icv.nthreads = 1;
	assert_int_equal(fg_region_size(&self, 0), 1);
	assert_int_equal(fg_region_size(&self, 3), 3);
}

static void
stops_at_the_active_levels(void **state)
{
	(void)state;
	self.thread.team = &outer;
	static const unsigned wanted[] = {6, 6, 1, 1};
	for (unsigned level = 0; level < 4; level++) {
		outer.active_level = level;
		assert_int_equal(fg_region_size(&self, 0), wanted[level]);
		assert_int_equal(fg_region_size(&self, 9), level < 2 ? 9 : 1);
	}
	icv.max_active_levels = 0;
	outer.active_level = 0;
	assert_int_equal(fg_region_size(&self, 3), 1);
	self.thread.team = NULL;
	assert_int_equal(fg_region_size(&self, 3), 1);
}

/* A caller that may use one CPU. */
static void
knows_the_cpus(void **state)
{
	(void)state;
	cpu_set_t all, one;
	assert_int_equal(sched_getaffinity(0, sizeof all, &all), 0);
	assert_int_equal(fg_icv_num_procs(), CPU_COUNT(&all));
	assert_in_range(fg_icv_dynamic_limit(), 1, CPU_COUNT(&all));
	int cpu = 0;
	while (!CPU_ISSET(cpu, &all))
		cpu++;
	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	assert_int_equal(sched_setaffinity(0, sizeof one, &one), 0);
	unsigned procs = fg_icv_num_procs(), limit = fg_icv_dynamic_limit();
	icv.dynamic = true;
	unsigned dynamic = fg_region_size(&self, 3);
	icv.dynamic = false;
	unsigned fixed = fg_region_size(&self, 3);
	assert_int_equal(sched_setaffinity(0, sizeof all, &all), 0);
	assert_int_equal(procs, 1);
	assert_int_equal(limit, 1);
	assert_int_equal(dynamic, 1);
	assert_int_equal(fixed, 3);
}

/* The caller of a nested region counts already, so the region takes only its other members out of the limit. */
static void
shares_the_limit_of_the_group(void **state)
{
	(void)state;
	static struct fg_team nested[3];
	icv.thread_limit = 6;
	assert_int_equal(fg_group_take(&outer, NULL, &icv, 4), 4);
	assert_int_equal(fg_load_relaxed(&outer.group_count), 4);
	assert_int_equal(fg_group_take(&nested[0], &outer, &icv, 2), 2);
	assert_int_equal(fg_group_take(&nested[1], &outer, &icv, 4), 2);
	assert_int_equal(fg_group_take(&nested[2], &nested[0], &icv, 4), 1);
	assert_int_equal(fg_load_relaxed(&outer.group_count), 6);
	for (unsigned i = 3; i > 0; i--) {
		fg_group_give(&nested[i - 1]);
		assert_null(nested[i - 1].group_threads);
		fg_group_give(&nested[i - 1]); /* a second time it does nothing */
	}
	assert_int_equal(fg_load_relaxed(&outer.group_count), 4);
	assert_int_equal(fg_group_take(&nested[0], &outer, &icv, 9), 3);
	assert_int_equal(fg_load_relaxed(&outer.group_count), 6);
	icv.thread_limit = 2; /* fewer than run already */
	assert_int_equal(fg_group_take(&nested[1], &outer, &icv, 9), 1);
	icv.thread_limit = UINT_MAX;
	assert_int_equal(fg_group_take(&nested[2], &outer, &icv, 9), 9);
	assert_int_equal(fg_load_relaxed(&outer.group_count), 14);
}

static void
limits_the_outermost_team(void **state)
{
	(void)state;
	for (unsigned limit = 1; limit < 6; limit++) {
		icv.thread_limit = limit;
		assert_int_equal(fg_group_take(&outer, NULL, &icv, 4), limit < 4 ? limit : 4);
		fg_group_give(&outer);
		assert_int_equal(fg_load_relaxed(&outer.group_count), 1);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(takes_the_clause_or_nthreads, begin),
		cmocka_unit_test_setup(stops_at_the_active_levels, begin),
		cmocka_unit_test_setup(knows_the_cpus, begin),
		cmocka_unit_test_setup(shares_the_limit_of_the_group, begin),
		cmocka_unit_test_setup(limits_the_outermost_team, begin),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
