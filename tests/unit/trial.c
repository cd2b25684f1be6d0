/* Trial: a program that is faster with fewer PUs leaves some, another one does not, and both ask again. */
#include "share/trial.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#define S UINT64_C(1000000000)
#define MS UINT64_C(1000000)

static uint64_t now = 5 * S, steps, left_ns;

/* A program that makes so many steps a millisecond, with all PUs and with fewer, for so long. Every `every` ms is a
 * look. `noise`: parts of a hundred by which a turn differs. Returns the part of the time in which it left PUs. */
static double
goes(struct fg_trial *trial, unsigned all, unsigned fewer, unsigned ms, unsigned every, unsigned noise)
{
	bool leaves = trial->leaves;
	left_ns = 0;
	for (unsigned at = 0; at < ms; at += every) {
		unsigned speed = leaves ? fewer : all;
		int off = noise ? rand() % (2 * (int)noise) - (int)noise : 0;
		steps += speed * every * (unsigned)(100 + off) / 100;
		now += every * MS;
		left_ns += leaves ? every * MS : 0;
		leaves = fg_trial_look(trial, now, steps);
	}
	return (double)left_ns / (double)(ms * MS);
}

/* A clear answer comes after two turns, and holds. */
static void
clear(void **state)
{
	for (unsigned every = 1; every <= 20; every++) {
		struct fg_trial gains = {0}, loses = {0};
		goes(&gains, 100, 300, 250, every, 0);
		assert_true(fg_trial_pays(&gains) && gains.leaves);
		assert_true(goes(&gains, 100, 300, 900, every, 0) > 0.99);
		goes(&loses, 300, 100, 250, every, 0);
		assert_true(loses.holds && !fg_trial_pays(&loses) && !loses.leaves);
		assert_true(goes(&loses, 300, 100, 900, every, 0) < 0.01);
	}
}

/* Over 30 s a program loses little by its trials. */
static void
price(void **state)
{
	for (unsigned seed = 1; seed < 20; seed++) {
		struct fg_trial gains = {0}, loses = {0};
		srand(seed);
		assert_true(goes(&gains, 100, 140, 30000, 7, 20) > 0.95);
		assert_true(goes(&loses, 140, 100, 30000, 7, 20) < 0.05);
	}
}

/* What a program gains may change. It finds out within the longest time for which an answer holds. */
static void
changes(void **state)
{
	struct fg_trial trial = {0};
	goes(&trial, 100, 200, 60000, 5, 10);
	assert_true(fg_trial_pays(&trial));
	goes(&trial, 200, 100, 9000, 5, 10);
	assert_false(fg_trial_pays(&trial));
	assert_true(goes(&trial, 200, 100, 60000, 5, 10) < 0.05);
	goes(&trial, 100, 200, 9000, 5, 10);
	assert_true(fg_trial_pays(&trial));
}

/* A program that counts no steps keeps all its PUs. */
static void
no_steps(void **state)
{
	struct fg_trial trial = {0};
	goes(&trial, 0, 0, 2000, 5, 0);
	assert_true(trial.holds && !fg_trial_pays(&trial));
	struct fg_trial still = {0};
	goes(&still, 0, 0, 30000, 5, 0);
	assert_true(goes(&still, 0, 0, 20000, 5, 0) < 0.05);
}

/* A turn in which the program was elsewhere counts for nothing: the trial begins again. Nor does one in which the count
 * went back, because workers have ended. */
static void
elsewhere(void **state)
{
	struct fg_trial trial = {0};
	goes(&trial, 100, 300, 40, 5, 0);
	now += 10 * S;
	fg_trial_look(&trial, now, steps);
	assert_int_equal(trial.turn, 1);
	assert_true(trial.ns[0] == 0 && trial.ns[1] == 0);
	goes(&trial, 100, 300, 40, 5, 0);
	fg_trial_look(&trial, now + MS, steps / 2);
	assert_int_equal(trial.turn, 1);
	assert_int_equal(trial.begin, now + MS);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(clear), cmocka_unit_test(price), cmocka_unit_test(changes),
					   cmocka_unit_test(no_steps), cmocka_unit_test(elsewhere)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
