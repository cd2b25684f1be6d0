/* What it costs that members compute away from home (sched/theft.h). Time is made up, and so are the grains. Each test
 * has a region of its own, because what is learnt of a region's code is kept. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "sched/theft.h"
#include "sched/world.h"

enum { MEMBERS = 4, US = 1000, WINDOW = 4 * MEMBERS };

static uint64_t time_now = UINT64_C(1000000000);

static uint64_t
now(void)
{
	return time_now;
}

static int
begin(void **state)
{
	(void)state;
	fg_world.now = now;
	return 0;
}

static struct fg_bubble
team_of(const char *region)
{
	struct fg_bubble team = {.size = MEMBERS, .region = region};
	fg_theft_begin(&team, time_now);
	return team;
}

/* A region without barriers: one member is away for so long, and the others are at home. */
static void
region(struct fg_bubble *team, unsigned away_us, unsigned home_us)
{
	fg_theft_begin(team, time_now);
	fg_theft_note(team);
	for (unsigned k = 0; k < MEMBERS; k++)
		fg_theft_grain(team, false, k != 0, (k ? home_us : away_us) * US);
	fg_theft_end(team);
}

/* Some barriers of a region; the member that is away returns home if it should. */
static bool
phases(struct fg_bubble *team, unsigned n, unsigned away_us, unsigned home_us)
{
	bool goes = false;
	for (unsigned i = 0; i < n; i++)
		for (unsigned k = MEMBERS; k-- > 0;)
			goes |= fg_theft_grain(team, true, k != 0, (k ? home_us : away_us) * US);
	return goes;
}

static void
cheap_after_four_grains(void **state)
{
	(void)state;
	struct fg_bubble team = team_of("cheap");
	for (unsigned i = 0; i < 3; i++)
		region(&team, 101, 100);
	assert_int_equal(fg_theft_cost(&team), 0);
	region(&team, 101, 100);
	assert_in_range(fg_theft_cost(&team), FG_THEFT_ONE, FG_THEFT_CHEAP);
	assert_true(time_now < fg_load_relaxed(&fg_theft_worthy_until));
	assert_true(fg_theft_pays(&team, UINT64_C(1000000000)));
	for (unsigned i = 0; i < 12; i++)
		region(&team, 101, 100);
	assert_false(fg_theft_is_timed(&team));
}

static void
dear_after_one(void **state)
{
	(void)state;
	fg_store_relaxed(&fg_theft_worthy_until, 0);
	struct fg_bubble team = team_of("dear");
	region(&team, 300, 100);
	assert_in_range(fg_theft_cost(&team), 3 * FG_THEFT_ONE, 4 * FG_THEFT_ONE);
	assert_true(time_now >= fg_load_relaxed(&fg_theft_worthy_until));
	assert_false(fg_theft_pays(&team, 0));
	assert_false(fg_theft_wish(&team, true, time_now));
}

/* A grain away of 150 us ends before one at home that begins 100 us later, if it begins within 50 us. */
static void
between_it_pays_early(void **state)
{
	(void)state;
	struct fg_bubble team = team_of("between");
	for (unsigned i = 0; i < 3; i++)
		region(&team, 148, 100);
	assert_int_equal(fg_theft_cost(&team), 0);
	region(&team, 148, 100);
	assert_int_equal(fg_theft_cost(&team), FG_THEFT_ONE * 3 / 2);
	assert_true(fg_theft_pays(&team, 49 * US));
	assert_false(fg_theft_pays(&team, 51 * US));
}

/* A theft takes some time itself: more than it is worth for a grain of 3 us. */
static void
short_grains_are_dear(void **state)
{
	(void)state;
	struct fg_bubble team = team_of("short");
	for (unsigned i = 0; i < 16; i++)
		region(&team, 3, 3);
	assert_true(fg_theft_cost(&team) > FG_THEFT_CHEAP);
}

static void
barriers_end_windows(void **state)
{
	(void)state;
	struct fg_bubble team = team_of("barriers");
	fg_theft_note(&team);
	assert_false(phases(&team, 3, 300, 100));
	assert_int_equal(fg_theft_cost(&team), 0);
	/* With the last grain of the window it is known. */
	assert_false(phases(&team, 1, 300, 100));
	assert_in_range(fg_theft_cost(&team), 3 * FG_THEFT_ONE, 4 * FG_THEFT_ONE);
	assert_true(phases(&team, 1, 300, 100));
	/* What follows the last barrier counts as nothing. */
	assert_false(fg_theft_grain(&team, false, false, 1));
	fg_theft_end(&team);
	assert_in_range(fg_theft_cost(&team), 3 * FG_THEFT_ONE, 4 * FG_THEFT_ONE);
}

/* Long and short grains in turn, and the member is away for the long ones: it costs nothing. */
static void
long_grains_are_not_dear(void **state)
{
	(void)state;
	struct fg_bubble team = team_of("long");
	fg_theft_note(&team);
	for (unsigned i = 0; i < WINDOW; i++)
		fg_theft_grain(&team, true, i % MEMBERS || i / MEMBERS % 2, i / MEMBERS % 2 ? 0 : 100 * US);
	assert_int_equal(fg_theft_cost(&team), 0);
}

/* Regions of one barrier each: the window goes on in the next one. */
static void
windows_span_regions(void **state)
{
	(void)state;
	struct fg_bubble team = team_of("span");
	for (unsigned i = 0; i < 4; i++) {
		fg_theft_begin(&team, time_now);
		fg_theft_note(&team);
		assert_int_equal(fg_theft_cost(&team), 0);
		phases(&team, 1, 300, 100);
		fg_theft_end(&team);
	}
	assert_in_range(fg_theft_cost(&team), 3 * FG_THEFT_ONE, 4 * FG_THEFT_ONE);
}

/* More codes than there are sites: what a team has learnt is not taken for another's. */
static void
codes_do_not_mix(void **state)
{
	(void)state;
	static const char codes[2000];
	struct fg_bubble team = team_of("own");
	region(&team, 300, 100);
	assert_true(fg_theft_cost(&team) != 0);
	for (unsigned i = 0; i < sizeof codes; i++) {
		struct fg_bubble other = team_of(&codes[i]);
		assert_int_equal(fg_theft_cost(&other), 0);
	}
	assert_int_equal(fg_theft_cost(&team), 0);
	fg_theft_note(&team);
	phases(&team, WINDOW, 300, 100);
	fg_theft_begin(&team, time_now);
	assert_int_equal(fg_theft_cost(&team), 0);
}

/* The inner of two teams of one code, with a team of another code between. */
static void
recursions_teach_nothing(void **state)
{
	(void)state;
	struct fg_bubble outer = {.size = 2, .region = "recursion", .home = {1}};
	struct fg_bubble between = {.size = 2, .region = "between them", .home = {1}, .entity.bubble = &outer};
	struct fg_bubble team = {.size = MEMBERS, .region = outer.region, .entity.bubble = &between};
	for (unsigned i = 0; i < 20; i++)
		region(&team, 100, 100);
	assert_int_equal(fg_theft_cost(&team), 0);
}

static void
hopeless_at_once(void **state)
{
	(void)state;
	struct fg_bubble team = team_of("hopeless");
	fg_theft_note(&team);
	assert_true(phases(&team, 1, 401, 100));
}

/* The phases of the program become longer. That is no cost. */
static void
longer_phases_cost_nothing(void **state)
{
	(void)state;
	struct fg_bubble team = team_of("longer");
	fg_theft_note(&team);
	phases(&team, WINDOW / MEMBERS, 100, 100);
	phases(&team, WINDOW / MEMBERS, 400, 400);
	assert_in_range(fg_theft_cost(&team), FG_THEFT_ONE, FG_THEFT_CHEAP);
}

/* Members that take longer at home than before do other work, and what was learnt before says nothing of that. */
static void
other_work_is_learnt_anew(void **state)
{
	(void)state;
	struct fg_bubble team = team_of("other");
	for (unsigned i = 0; i < 4; i++)
		region(&team, 150, 100);
	region(&team, 298, 149);
	assert_in_range(fg_theft_cost(&team), FG_THEFT_CHEAP, FG_THEFT_DEAR);
	region(&team, 900, 300);
	assert_in_range(fg_theft_cost(&team), 3 * FG_THEFT_ONE, 4 * FG_THEFT_ONE);
}

static void
tries_need_wishes(void **state)
{
	(void)state;
	struct fg_bubble team = team_of("tries");
	unsigned wishes = 0;
	while (!fg_theft_wish(&team, true, time_now)) {
		assert_false(fg_theft_wish(&team, true, time_now)); /* the same one */
		time_now += 100 * US;
		assert_true(++wishes < 100);
	}
	assert_int_equal(wishes, 15);
	fg_theft_note(&team);
	assert_false(fg_theft_wish(&team, true, time_now));
}

/* Of members that have not begun four wishes allow one. The next one waits for that, or for as many wishes as any. */
static void
unborn_are_tried_early(void **state)
{
	(void)state;
	struct fg_bubble team = team_of("unborn");
	unsigned wishes = 1, last = 0;
	for (; last < 2; time_now += 100 * US, wishes++)
		if (fg_theft_wish(&team, false, time_now)) {
			assert_int_equal(wishes, last ? 32 : 4);
			fg_theft_note(&team);
			last++;
		}
	fg_theft_note(&team);
	assert_false(fg_theft_wish(&team, false, time_now));
}

/* Where members meet barriers, none goes early. */
static void
barriers_are_tried_late(void **state)
{
	(void)state;
	struct fg_bubble team = team_of("late");
	fg_store_relaxed(&team.theft.barriers, 1);
	for (unsigned wishes = 1; wishes < 16; wishes++, time_now += 100 * US)
		assert_false(fg_theft_wish(&team, false, time_now));
	assert_true(fg_theft_wish(&team, false, time_now));
}

/* So many tries are paid by those so far. */
static unsigned
tries_after(struct fg_bubble *team)
{
	unsigned tries = 0;
	for (; fg_theft_wish(team, true, time_now); tries++)
		fg_theft_note(team);
	return tries;
}

static void
tries_pay_for_tries(void **state)
{
	(void)state;
	struct fg_bubble regions = team_of("regions"), barriers = team_of("barriers and tries");
	region(&regions, 150, 100);
	assert_int_equal(tries_after(&regions), 1);
	assert_int_equal(tries_after(&regions), 0);
	fg_theft_note(&barriers);
	fg_theft_grain(&barriers, true, false, 148 * US);
	for (unsigned i = 1; i < WINDOW; i++)
		fg_theft_grain(&barriers, true, true, 100 * US);
	assert_int_equal(fg_theft_cost(&barriers), 0);
	assert_int_equal(tries_after(&barriers), 0);
}

static void
forgotten(void **state)
{
	(void)state;
	struct fg_bubble team = team_of("forgotten");
	for (unsigned i = 0; i < 4; i++)
		region(&team, 100, 100);
	assert_true(time_now < fg_load_relaxed(&fg_theft_worthy_until));
	time_now += UINT64_C(1000000001);
	fg_theft_begin(&team, time_now);
	assert_int_equal(fg_theft_cost(&team), 0);
	assert_true(time_now >= fg_load_relaxed(&fg_theft_worthy_until));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cheap_after_four_grains),    cmocka_unit_test(dear_after_one),
		cmocka_unit_test(between_it_pays_early),      cmocka_unit_test(short_grains_are_dear),
		cmocka_unit_test(barriers_end_windows),	      cmocka_unit_test(hopeless_at_once),
		cmocka_unit_test(longer_phases_cost_nothing), cmocka_unit_test(tries_need_wishes),
		cmocka_unit_test(tries_pay_for_tries),	      cmocka_unit_test(forgotten),
		cmocka_unit_test(long_grains_are_not_dear),   cmocka_unit_test(windows_span_regions),
		cmocka_unit_test(codes_do_not_mix),	      cmocka_unit_test(recursions_teach_nothing),
		cmocka_unit_test(unborn_are_tried_early),     cmocka_unit_test(barriers_are_tried_late),
		cmocka_unit_test(other_work_is_learnt_anew),
	};
	return cmocka_run_group_tests(tests, begin, NULL);
}
