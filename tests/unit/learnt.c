/* The history of regions' loads: the places where regions are met, the histories that are forgotten, and the
 * measurements that count. Loads that the program tells win. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "exec/thread/clock.h"
#include "exec/roots/self.h"
#include "platform/memory.h"
#include "sched/policy.h"
#include "team/hints/history.h"
#include "team/hints/loads.h"
#include "team/team.h"

#define US UINT64_C(1000)

static uint64_t now;

static uint64_t
clock_now(void)
{
	return now;
}

static void
code_a(void *data)
{
	(void)data;
}

static void
code_b(void *data)
{
	(void)data;
	now++;
}

static int
setup(void **state)
{
	static struct fg_carrier clocks = {.now = clock_now};
	(void)state;
	fg_carrier = &clocks;
	fg_clock_on = true;
	fg_policies.measures = FGOMP_MEASURE_LOADS;
	now = 1;
	fg_enter_again(fg_self_or_root());
	return 0;
}

/* The program tells it outside of the runtime. */
static void
tell(unsigned n, const double *loads, double load)
{
	bool inside = fg_step_out(fg_self());
	if (n)
		fg_hints_member_loads(n, loads);
	else
		fg_hints_load(load);
	fg_step_in(fg_self(), inside);
}

/* Members have used so many microseconds each. */
static void
note(struct fg_load_history *learnt, const unsigned *us)
{
	struct fg_time times[8];
	memset(times, 0, sizeof times);
	for (unsigned k = 0; k < learnt->size; k++)
		fg_store_relaxed(&times[k].own, us[k] * US);
	fg_load_history_note(learnt, times);
}

static void
expect_loads(const struct fg_load_history *learnt, const unsigned *us)
{
	for (unsigned k = 0; k < learnt->size; k++)
		assert_true(fabsf(learnt->loads[k] - (float)(us[k] * US)) <= (float)(us[k] * US) * 1e-5f);
}

static void
known_by_where_it_is_met(void **state)
{
	(void)state;
	struct fg_load_history_site root = {0};
	struct fg_load_history *outer = fg_load_history_find(&root, code_a, 8);
	assert_ptr_equal(fg_load_history_find(&root, code_a, 8), outer);
	assert_ptr_not_equal(fg_load_history_find(&root, code_b, 8), outer);
	assert_ptr_not_equal(fg_load_history_find(&root, code_a, 4), outer);
	assert_ptr_equal(fg_load_history_find(&root, code_a, 8), outer);
	assert_int_equal(root.n, 3);
	struct fg_load_history *of_3 = fg_load_history_find(&outer->site[3], code_b, 4),
			       *of_5 = fg_load_history_find(&outer->site[5], code_b, 4);
	assert_ptr_not_equal(of_3, of_5);
	assert_ptr_equal(fg_load_history_find(&outer->site[3], code_b, 4), of_3);
	assert_ptr_equal(fg_load_history_find(&outer->site[5], code_b, 4), of_5);
	/* In itself it is another region. */
	assert_ptr_not_equal(fg_load_history_find(&of_3->site[0], code_b, 4), of_3);
	of_3->in_flight = true;
	assert_ptr_not_equal(fg_load_history_find(&outer->site[3], code_b, 4), of_3);
	fg_load_history_forget(&root);
	assert_int_equal(root.n, 0);
}

/* Regions that differ in their size. */
static void
old_ones_are_forgotten(void **state)
{
	(void)state;
	struct fg_load_history_site root = {0};
	for (unsigned i = 0; i < FG_LEARNT_REGIONS; i++)
		assert_non_null(fg_load_history_find(&root, code_a, 2 + i));
	assert_null(fg_load_history_find(&root, code_b, 2));
	assert_int_equal(root.n, FG_LEARNT_REGIONS);
	/* The first two go on, one is in flight, the others are not met any more. */
	struct fg_load_history *first = fg_load_history_find(&root, code_a, 2),
			       *second = fg_load_history_find(&root, code_a, 3);
	struct fg_load_history *third = fg_load_history_find(&root, code_a, 4);
	third->in_flight = true;
	for (unsigned i = 0; i < FG_LEARNT_STALE; i++)
		assert_ptr_equal(fg_load_history_find(&root, code_a, 2 + i % 2), i % 2 ? second : first);
	for (unsigned i = 0; i < FG_LEARNT_REGIONS - 3; i++)
		assert_non_null(fg_load_history_find(&root, code_b, 2 + i));
	assert_null(fg_load_history_find(&root, code_b, 2 + FG_LEARNT_REGIONS));
	assert_ptr_equal(fg_load_history_find(&root, code_a, 2), first);
	assert_ptr_equal(fg_load_history_find(&root, code_a, 3), second);
	third->in_flight = false;
	assert_ptr_equal(fg_load_history_find(&root, code_a, 4), third);
	assert_null(fg_load_history_find(&root, code_a, 5));
	fg_load_history_forget(&root);
}

static void
memory_is_bounded(void **state)
{
	(void)state;
	struct fg_load_history_site sites[64] = {0};
	unsigned made = 0;
	for (unsigned i = 0; i < 64; i++)
		for (unsigned k = 0; k < 4; k++)
			made += fg_load_history_find(&sites[i], code_a, 1000 + k) != NULL;
	assert_in_range(made, 16, FG_LEARNT_BYTES / (1000 * sizeof(struct fg_load_history_site)));
	assert_null(fg_load_history_find(&sites[63], code_b, 1000));
	for (unsigned i = 0; i < 64; i++)
		fg_load_history_forget(&sites[i]);
	assert_non_null(fg_load_history_find(&sites[63], code_b, 1000));
	/* A team that is larger than all there is. */
	assert_null(fg_load_history_find(&sites[0], code_a, FG_LEARNT_BYTES));
	fg_load_history_forget(&sites[63]);
}

static void
what_counts(void **state)
{
	(void)state;
	static const unsigned one[] = {800, 100, 100, 200}, noisy[] = {810, 95, 110, 190},
			      disturbed[] = {800, 100, 4100, 200}, close[] = {100, 104, 96, 100},
			      even[] = {100, 100, 100, 100}, short_ones[] = {1, 2, 1, 2},
			      other[] = {100, 800, 200, 100}, nothing[] = {0, 0, 0, 0};
	struct fg_load_history_site root = {0};
	struct fg_load_history *learnt = fg_load_history_find(&root, code_a, 4);
	note(learnt, one);
	expect_loads(learnt, one);
	assert_true(fabsf(learnt->load - 1200 * (float)US) < 1);
	/* Noise changes nothing that policies see, nor does a member that was disturbed once. */
	note(learnt, noisy);
	expect_loads(learnt, one);
	note(learnt, disturbed);
	expect_loads(learnt, one);
	note(learnt, one);
	expect_loads(learnt, one);
	/* But a lasting change does, within a few measurements: from the second on, each halves the distance. */
	for (unsigned i = 0; i < 8; i++)
		note(learnt, other);
	for (unsigned k = 0; k < 4; k++)
		assert_true(fabsf(learnt->loads[k] - (float)(other[k] * US)) <= 1200.0f * US / 4 / 8);
	/* Members that are close to each other are equal to the bit. */
	learnt = fg_load_history_find(&root, code_b, 4);
	note(learnt, close);
	expect_loads(learnt, even);
	for (unsigned k = 1; k < 4; k++)
		assert_true(learnt->loads[k] <= learnt->loads[0] && learnt->loads[k] >= learnt->loads[0]);
	learnt = fg_load_history_find(&root, code_b, 4);
	learnt->measured = 0;
	note(learnt, short_ones);
	assert_true(learnt->loads[0] <= learnt->loads[1] && learnt->loads[0] >= learnt->loads[1]);
	/* A known load is never 0, because 0 means "not known". */
	learnt = fg_load_history_find(&root, code_a, 3);
	note(learnt, nothing);
	assert_true(learnt->loads[2] > 0 && learnt->load > 0);
	fg_load_history_forget(&root);
}

static unsigned
measured_of(struct fg_load_history *learnt, unsigned runs, const unsigned *us)
{
	unsigned measured = 0;
	for (unsigned i = 0; i < runs; i++)
		if (fg_load_history_due(learnt)) {
			note(learnt, us);
			measured++;
		}
	return measured;
}

static void
what_is_known_is_seldom_measured(void **state)
{
	(void)state;
	static const unsigned one[] = {800, 100, 100, 200}, other[] = {100, 800, 200, 100};
	struct fg_load_history_site root = {0};
	struct fg_load_history *learnt = fg_load_history_find(&root, code_a, 4);
	assert_int_equal(measured_of(learnt, 2, one), 2);
	/* 1, 3, 7, 15, 31 and then 63 are skipped. */
	assert_in_range(measured_of(learnt, 1000, one), 12, 22);
	/* A change is seen after 63 at most, and then each run is measured until it is known. */
	assert_in_range(measured_of(learnt, 64 + 8, other), 5, 15);
	assert_true(learnt->loads[1] > learnt->loads[0] * 4);
	fg_load_history_forget(&root);
}

static struct fg_team *
team_new(void)
{
	struct fg_team *team = aligned_alloc(64, (sizeof *team + 63) & ~(size_t)63);
	memset(team, 0, sizeof *team);
	team->size = 4;
	team->fn = code_a;
	return team;
}

static void
team_free(struct fg_team *team)
{
	fg_bubble_free(&team->births.bubble);
	fg_memory_free(team->loads);
	free(team);
}

/* A region within another, whose members use the PU one after the other. */
static void
region(struct fg_identity *self, struct fg_team *team, const unsigned *us)
{
	for (unsigned k = 0; k < 4; k++) {
		fg_load_history_member(self, team, k);
		now += us[k] * US;
		fg_clock_stop(self);
		now += 7777;
	}
}

static void
told_wins(void **state)
{
	(void)state;
	static const unsigned one[] = {800, 100, 100, 200};
	static const double points[] = {5, 0, 7, -3}, bad[] = {NAN, -1, INFINITY, 1e31};
	struct fg_load_history_site site = {0};
	struct fg_identity self = {.site = &site};
	struct fg_team *team = team_new(), around = {.size = 2};
	const struct fg_bubble *bubble = &team->births.bubble;
	team->outer = &around;
	for (unsigned told = 0; told < 5; told++) {
		if (told == 2)
			tell(4, points, 0);
		if (told == 3)
			tell(0, NULL, 60);
		if (told == 4) {
			tell(0, NULL, NAN);
			tell(4, bad, 0);
		}
		fg_hints_take(&self, team);
		fg_load_history_begin(&self, team);
		struct fg_load_history *learnt = team->learnt;
		assert_non_null(learnt);
		assert_true(learnt->in_flight && (told == 0) == !bubble->loads);
		if (told == 1 || told == 4) /* nothing that can be used is nothing */
			assert_ptr_equal(bubble->loads, learnt->loads);
		if (told == 2) /* a member without a told load has the mean */
			assert_true(fabsf(bubble->loads[0] - 5) + fabsf(bubble->loads[1] - 6) +
					    fabsf(bubble->loads[2] - 7) <
				    1e-5f);
		if (told == 3) /* in the program's unit: 1200 us are 60 */
			assert_true(fabsf(bubble->loads[0] - 40) + fabsf(bubble->loads[3] - 10) < 1e-3f);
		region(&self, team, one);
		fg_load_history_end(&self, team);
		assert_false(learnt->in_flight);
		expect_loads(learnt, one);
		assert_ptr_equal(self.site, &site);
		assert_null(bubble->loads);
	}
	fg_load_history_forget(&site);
	team_free(team);
}

/* One outer member meets one inner region again and again. Also where the outer one is measured, few of its runs are. A
 * run that is not measured counts as much as was learnt. */
static void
inner_regions_count_in_the_outer(void **state)
{
	(void)state;
	static const unsigned small_us[] = {30, 10, 10, 10};
	unsigned measured = 0;
	struct fg_load_history_site site = {0};
	struct fg_identity self = {.site = &site};
	struct fg_team *outer = team_new(), *inner = team_new();
	inner->fn = code_b;
	inner->outer = outer;
	fg_policies.measures = FGOMP_MEASURE_CPU_TIME;
	for (unsigned run = 0; run < 3; run++) {
		outer->outer = inner; /* none of a root */
		fg_load_history_begin(&self, outer);
		fg_load_history_member(&self, outer, 2);
		now += 5 * US;
		for (unsigned i = 0; i < 10; i++) {
			fg_policies.measures = FGOMP_MEASURE_LOADS;
			fg_load_history_begin(&self, inner);
			measured += inner->times != NULL;
			region(&self, inner, small_us);
			fg_load_history_end(&self, inner);
		}
		fg_clock_stop(&self);
		const struct fg_bubble *bubble = &outer->births.bubble;
		assert_int_equal(fg_bubble_time(bubble, false), 5 * US);
		assert_in_range(fg_bubble_time(bubble, true), 605 * US - 20, 605 * US + 20);
		fg_policies.measures = FGOMP_MEASURE_CPU_TIME;
		fg_load_history_end(&self, outer);
	}
	assert_in_range(measured, 2, 18); /* of 30 */
	fg_load_history_forget(&site);
	/* Nor are more of them where the outer one is not measured. */
	fg_policies.measures = FGOMP_MEASURE_LOADS;
	measured = 0;
	for (unsigned i = 0; i < 64; i++) {
		self.site = &site;
		self.entity.time = NULL;
		fg_load_history_begin(&self, inner);
		measured += inner->times != NULL;
		region(&self, inner, small_us);
		fg_load_history_end(&self, inner);
	}
	assert_in_range(measured, 4, 10);
	fg_load_history_forget(&site);
	team_free(inner);
	team_free(outer);
}

/* A thread's clock runs while it has a PU and does not wait. */
static void
clocks(void **state)
{
	(void)state;
	struct fg_time times[2];
	memset(times, 0, sizeof times);
	struct fg_identity a = {0}, b = {0}, nobody = {0};
	fg_clock_take(&a, &times[0]);
	now += 10;
	fg_clock_switch(&a, &b);
	fg_clock_take(&b, &times[1]);
	now += 100;
	fg_clock_switch(&b, &nobody);
	now += 1000;
	fg_clock_switch(&nobody, &a);
	now += 20;
	bool ran = fg_clock_stop(&a);
	assert_true(ran);
	now += 10000;
	fg_clock_switch(&a, &nobody);
	fg_clock_switch(&nobody, &a);
	now += 10000;
	assert_false(fg_clock_stop(&a));
	fg_clock_go(&a, ran);
	now += 30;
	fg_clock_switch(&a, &b);
	now += 200;
	fg_clock_take(&b, NULL);
	now += 1000;
	assert_int_equal(fg_load_relaxed(&times[0].own), 60);
	assert_int_equal(fg_load_relaxed(&times[1].own), 300);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(known_by_where_it_is_met, setup),
		cmocka_unit_test_setup(old_ones_are_forgotten, setup),
		cmocka_unit_test_setup(memory_is_bounded, setup),
		cmocka_unit_test_setup(what_counts, setup),
		cmocka_unit_test_setup(what_is_known_is_seldom_measured, setup),
		cmocka_unit_test_setup(told_wins, setup),
		cmocka_unit_test_setup(inner_regions_count_in_the_outer, setup),
		cmocka_unit_test_setup(clocks, setup),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
