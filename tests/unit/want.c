/* Does a program learn how many PUs its regions make use of? Curves, lessons, trials, and the looks of a program whose
 * times the test makes up. */
#include "share/want.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "share/learnt.h"

#define MS UINT64_C(1000000)
#define S (1000 * MS)
#define PUS 32

/* time = serial + divided / n + each n: what speed-up and best number come out is known. */
struct kind {
	double serial, divided, each;
};
static const struct kind ideal = {0, 1e6, 0}, half = {5e5, 5e5, 0}, small = {1000, 9000, 1000}, harmed = {1000, 0, 500};

static double
time_of(const struct kind *kind, unsigned n)
{
	return kind->serial + kind->divided / n + kind->each * n;
}

static struct fg_curve
measured(const struct kind *kind, const unsigned *pus, unsigned n)
{
	struct fg_curve curve = {.n = n};
	for (unsigned i = 0; i < n; i++)
		curve.point[i] = (struct fg_curve_point){pus[i], time_of(kind, pus[i])};
	return curve;
}

static struct fg_curve
filled(const struct kind *kind, unsigned pus)
{
	struct fg_curve curve = measured(kind, (unsigned[]){1, 2, 3, 4, 6, 8, 12, 16, 24, 32}, 10);
	fg_curve_fill(&curve, pus);
	return curve;
}

/* The largest n with speed-up >= 0.8 n; the fewest PUs with which it takes 3% longer than the best at most. */
static void
numbers(void **state)
{
	const struct kind *kinds[] = {&ideal, &half, &small, &harmed};
	for (unsigned k = 0; k < 4; k++)
		for (unsigned pus = 1; pus <= PUS; pus++) {
			struct fg_curve curve = filled(kinds[k], pus);
			unsigned optimal = 1, fewest = 1;
			double least = time_of(kinds[k], 1);
			for (unsigned n = 1; n <= pus; n++) {
				if (time_of(kinds[k], 1) / fg_curve_ns(&curve, n) >= .8 * n)
					optimal = n;
				if (fg_curve_ns(&curve, n) < least)
					least = fg_curve_ns(&curve, n);
			}
			while (fg_curve_ns(&curve, fewest) > 1.03 * least)
				fewest++;
			assert_in_range(fg_curve_optimal(&curve), optimal - (optimal > 1), optimal + 1);
			assert_in_range(fg_curve_best(&curve), fewest - (fewest > 1), fewest + 1);
		}
}

/* Nothing is made up that would hold a program back, and no time is below 0. */
static void
few_points(void **state)
{
	struct fg_curve one = {1, {{8, 100}}}, rises = {2, {{8, 100}, {32, 200}}}, noise = {2, {{31, 100}, {32, 101}}},
			steep = {2, {{8, 1000}, {32, 10}}};
	fg_curve_fill(&one, PUS);
	assert_int_equal(fg_curve_optimal(&one), PUS);
	assert_int_equal(fg_curve_best(&one), PUS);
	fg_curve_fill(&rises, 64);
	assert_int_equal(fg_curve_best(&rises), 1);
	for (unsigned n = 1; n <= 64; n++)
		assert_true(fg_curve_ns(&rises, n) >= 100 && fg_curve_ns(&rises, n) <= 200);
	fg_curve_fill(&noise, PUS);
	fg_curve_fill(&steep, PUS);
	for (unsigned n = 1; n <= PUS; n++) {
		assert_true(fg_curve_ns(&noise, n) >= 100 && (n > 31 || fg_curve_ns(&noise, n) <= 31. * 100 / n + 1));
		assert_true(fg_curve_ns(&steep, n) >= 10 && fg_curve_ns(&steep, n) <= 8. * 1000 / n + 1);
	}
	fg_curve_fill(&steep, 16); /* the process has fewer PUs now */
	assert_int_equal(steep.point[steep.n - 1].pus, 16);
}

/* Regions one after the other: their times add up. */
static void
sums(void **state)
{
	struct fg_curve sum = {0}, a = filled(&half, PUS), b = filled(&small, PUS);
	fg_curve_add(&sum, &a, 2);
	fg_curve_add(&sum, &b, 30);
	for (unsigned n = 1; n <= PUS; n *= 2) {
		double ns = 2 * time_of(&half, n) + 30 * time_of(&small, n);
		assert_true(fg_curve_ns(&sum, n) > .99 * ns && fg_curve_ns(&sum, n) < 1.01 * ns);
	}
}

/* At most four numbers are tried until a point lies near both numbers. */
static void
probes(void **state)
{
	const struct kind *kinds[] = {&ideal, &half, &small, &harmed};
	for (unsigned k = 0; k < 4; k++) {
		struct fg_lesson lesson = {0};
		struct fg_curve curve;
		unsigned trials = 0;
		for (unsigned next = PUS; next; next = fg_curve_probe(&curve, PUS), trials++) {
			assert_in_range(next, 1, PUS);
			fg_lesson_note(&lesson, 64 * next, time_of(kinds[k], next));
			fg_lesson_read(&lesson, &curve);
			assert_true(trials < 6);
		}
		fg_curve_fill(&curve, PUS);
		struct fg_curve all = filled(kinds[k], PUS);
		unsigned best = fg_curve_best(&all), found = fg_curve_best(&curve);
		assert_true(found <= 2 * best && best <= 2 * found);
	}
}

/* A run that lost its PU for 10 ms does little, wherever it comes. Work that has grown is learnt. */
static void
disturbed(void **state)
{
	for (unsigned odd = 0; odd < 40; odd++) {
		struct fg_lesson lesson = {0};
		struct fg_curve curve;
		for (unsigned i = 0; i < 40; i++)
			fg_lesson_note(&lesson, 64 * 8, i == odd ? 1e7 : 2000);
		fg_lesson_read(&lesson, &curve);
		assert_true(curve.n == 1 && curve.point[0].ns < 2100);
		for (unsigned i = 0; i < 300; i++)
			fg_lesson_note(&lesson, 64 * 8, 20000);
		fg_lesson_read(&lesson, &curve);
		assert_true(curve.point[0].ns > 19000);
	}
}

/* Points are means: of the PUs as well. Neighbouring doublings never have the same number. */
static void
means(void **state)
{
	struct fg_lesson lesson = {0};
	struct fg_curve curve;
	for (unsigned i = 0; i < 100; i++) {
		fg_lesson_note(&lesson, 64 * (5 + i % 3), 1000);
		fg_lesson_note(&lesson, 64 * 8 - 1, 1000);
		fg_lesson_note(&lesson, 64 * 8, 900);
	}
	fg_lesson_note(&lesson, 1, 5000);
	fg_lesson_note(&lesson, 64 * 5000, 800); /* there are no more PUs on a board */
	fg_lesson_read(&lesson, &curve);
	assert_int_equal(curve.n, 4);
	assert_int_equal(curve.point[0].pus, 1);
	assert_in_range(curve.point[1].pus, 6, 7);
	assert_int_equal(curve.point[2].pus, 8);
	for (unsigned i = 1; i < curve.n; i++)
		assert_true(curve.point[i].pus > curve.point[i - 1].pus);
	assert_int_equal(fg_lesson_runs(&lesson, 6), 16);
	fg_lesson_forget(&lesson, 8);
	fg_lesson_read(&lesson, &curve);
	assert_true(curve.n == 1 && curve.point[0].pus == 8);
}

/* ---- a program on PUS PUs, of which its share may be fewer ---- */

static uint64_t now = 5 * S;
static unsigned has, share, asks;
static uint64_t restrained;	 /* PUs x ns that it did not use of its share */
static char code[16], team_here; /* a region for each use */

/* It runs this kind of region for so long. Returns what it asks for. */
static unsigned
runs(const struct kind *kind, const char *region, uint64_t for_ns, unsigned looks_without)
{
	const struct fg_team *team = (const void *)&team_here;
	restrained = 0;
	for (uint64_t end = now + for_ns, look = now; now < end;) {
		bool timed = !looks_without && fg_learnt_wants() && fg_learnt_begin(now, team, region, PUS);
		double ns = time_of(kind, has) * (1 + (rand() % 50) / 1000.);
		uint64_t until = now + (uint64_t)ns;
		for (; look + 2 * MS <= until; look += 2 * MS) {
			asks = fg_learnt_look(look + 2 * MS, true, PUS, has, share);
			restrained += (share - has) * 2 * MS;
			has = fg_learnt_bound(share);
			fg_learnt_has(look + 2 * MS, has, false);
		}
		now = until;
		if (timed)
			assert_true(fg_learnt_times(team));
		if (timed)
			fg_learnt_end(now);
	}
	return asks;
}

static int
setup(void **state)
{
	srand(1);
	fg_learnt_after_fork();
	now += 100 * S;
	has = share = PUS;
	fg_learnt_has(now, PUS, false);
	now += S;
	fg_learnt_look(now, true, PUS, has, share);
	return 0;
}

/* A small region asks for few PUs within a quarter of a second, and one that scales for all. It loses little by its
 * trials. */
static void
learns(void **state)
{
	assert_in_range(runs(&small, &code[0], S / 4, 0), 2, 4);
	assert_in_range(has, 2, 4);
	assert_in_range(runs(&ideal, &code[1], S / 4, 0), PUS - 2, PUS);
	assert_in_range(has, PUS - 2, PUS);
	runs(&ideal, &code[1], 20 * S, 0);
	assert_true(restrained < PUS * 20 * S / 50);
}

/* A region that is new, or of which nothing is known, gets the whole share within two looks, and a long one, too. */
static void
changes(void **state)
{
	const struct kind longer = {0, 1e9, 0};
	assert_in_range(runs(&small, &code[2], S * 2 / 5, 0), 2, 4);
	assert_int_equal(runs(&longer, &code[3], 5 * MS, 0), PUS);
	assert_int_equal(has, PUS);
	assert_in_range(runs(&small, &code[2], S * 2 / 5, 0), 2, 4);
	runs(&ideal, NULL, 8 * MS, 1); /* the look came after its begin, so it is not timed */
	assert_int_equal(has, PUS);
}

/* A call of a region that is known as small takes very long: it gets the whole share before it ends. */
static void
long_call(void **state)
{
	const struct kind endless = {0, 4e9, 0};
	assert_in_range(runs(&small, &code[12], 40 * S, 0), 2, 4);
	assert_int_equal(runs(&endless, &code[12], 20 * MS, 0), PUS);
	assert_int_equal(has, PUS);
}

/* Its work has grown: that is learnt when the want is renewed, after 16 s at most. */
static void
grows(void **state)
{
	const struct kind grown = {1000, 9e6, 1000};
	assert_in_range(runs(&small, &code[4], 40 * S, 0), 2, 4);
	assert_true(runs(&grown, &code[4], 20 * S, 0) > 16);
}

/* The share is small, so larger numbers cannot be tried. What is asked for is never more than there is. */
static void
small_share(void **state)
{
	share = has = 4;
	fg_learnt_has(now, 4, false);
	now += 10 * MS;
	assert_in_range(runs(&ideal, &code[5], S, 0), PUS - 4, PUS);
	assert_true(has <= 4);
	share = 1;
	runs(&small, &code[6], S, 0);
	assert_int_equal(has, 1);
	assert_true(asks > 4); /* one or two small numbers of PUs tell nothing of larger ones */
}

/* Others use the same PUs, or the program is alone: nothing is learnt. */
static void
not_its_own(void **state)
{
	for (unsigned i = 0; i < 100; i++) {
		fg_learnt_has(now, PUS, true);
		runs(&harmed, &code[7], 2 * MS, 0);
	}
	assert_int_equal(asks, PUS);
	assert_in_range(runs(&small, &code[8], S * 2 / 5, 0), 2, 4);
	fg_learnt_alone();
	assert_int_equal(fg_learnt_bound(PUS), PUS);
}

/* A region that is never left: its thread goes on with the next one, and another thread times nothing. */
static void
left_open(void **state)
{
	const struct fg_team *a = (const void *)&code[0], *b = (const void *)&code[1];
	assert_true(fg_learnt_begin(now, a, &code[0], PUS));
	assert_false(fg_learnt_begin(now, b, &code[0], PUS));
	assert_true(fg_learnt_begin(now + MS, a, &code[0], PUS));
	assert_true(fg_learnt_times(a) && !fg_learnt_times(b));
	fg_learnt_end(now + 2 * MS);
	assert_true(fg_learnt_begin(now + 3 * MS, b, &code[0], PUS));
	fg_learnt_end(now + 4 * MS);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers),
		cmocka_unit_test(few_points),
		cmocka_unit_test(sums),
		cmocka_unit_test(probes),
		cmocka_unit_test(disturbed),
		cmocka_unit_test(means),
		cmocka_unit_test_setup(learns, setup),
		cmocka_unit_test_setup(changes, setup),
		cmocka_unit_test_setup(long_call, setup),
		cmocka_unit_test_setup(grows, setup),
		cmocka_unit_test_setup(small_share, setup),
		cmocka_unit_test_setup(not_its_own, setup),
		cmocka_unit_test_setup(left_open, setup),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
