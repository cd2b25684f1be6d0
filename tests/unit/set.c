/* When a program keeps its set of PUs; programs that look in turn and all at once come to sets of their own. */
#include "share/set.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define MOST 12
#define PUS 48

static struct fg_distances distances;
static struct fg_set sets[MOST];
static struct fg_pus told[MOST]; /* what others see */
static unsigned n, wanted[MOST], own_pu[MOST];

static struct fg_pus
union_of(unsigned from, unsigned to, unsigned but)
{
	struct fg_pus sum = {{0}};
	for (unsigned i = from; i < to; i++)
		for (unsigned word = 0; i != but && word < FG_CHOICE_PUS / 64; word++)
			sum.bits[word] |= told[i].bits[word];
	return sum;
}

static void
tell(unsigned i)
{
	memset(&told[i], 0, sizeof told[i]);
	for (unsigned k = 0; k < sets[i].n; k++)
		fg_pus_add(&told[i], sets[i].pus[k]);
}

static bool
look(unsigned i, enum fg_choice choice)
{
	struct fg_request request = {.pu = own_pu[i], .largest = PUS};
	struct fg_pus lower = union_of(0, i, i), others = union_of(0, n, i);
	return fg_set_look(&sets[i], choice, &distances, &request, wanted[i], &lower, &others);
}

/* PUs that two sets have in common, without own ones. */
static unsigned
in_common(void)
{
	unsigned users[PUS] = {0}, common = 0;
	for (unsigned i = 0; i < n; i++)
		for (unsigned k = 0; k < sets[i].n; k++)
			users[sets[i].pus[k]]++;
	for (unsigned i = 0; i < n; i++)
		users[own_pu[i]] = 0;
	for (unsigned pu = 0; pu < PUS; pu++)
		common += users[pu] > 1;
	return common;
}

static int
setup(void **state)
{
	const char *why;
	(void)state;
	distances = (struct fg_distances){.machine = fg_machine_synthetic("numa:4 l3:3 core:4", &why)};
	memset(sets, 0, sizeof sets);
	memset(told, 0, sizeof told);
	return distances.machine ? 0 : -1;
}

static int
teardown(void **state)
{
	(void)state;
	fg_machine_free((struct fg_machine *)distances.machine);
	return 0;
}

static void
keeps(void **state)
{
	(void)state;
	n = 2;
	own_pu[0] = 0;
	own_pu[1] = 5;
	wanted[0] = wanted[1] = 4;
	assert_true(look(1, FG_CHOICE_SIMPLE));
	assert_int_equal(sets[1].n, 4);
	assert_false(look(1, FG_CHOICE_SIMPLE)); /* nothing has changed */
	fg_pus_add(&told[0], 20);
	assert_false(look(1, FG_CHOICE_SIMPLE)); /* a PU of no interest */
	fg_pus_add(&told[0], 5);
	assert_false(look(1, FG_CHOICE_SIMPLE)); /* its own PU is no reason */
	fg_pus_add(&told[0], 6);
	assert_true(look(1, FG_CHOICE_SIMPLE)); /* it yields */
	for (unsigned k = 1; k < sets[1].n; k++)
		assert_int_not_equal(sets[1].pus[k], 6);
	wanted[1] = 3;
	assert_true(look(1, FG_CHOICE_SIMPLE));
	assert_int_equal(sets[1].n, 3);
	own_pu[1] = 7;
	assert_true(look(1, FG_CHOICE_SIMPLE));
	assert_int_equal(sets[1].pus[0], 7);
}

/* A lower entry does not yield to a higher one. */
static void
lower_stays(void **state)
{
	(void)state;
	n = 2;
	own_pu[0] = 0;
	own_pu[1] = 1;
	wanted[0] = wanted[1] = 4;
	assert_true(look(0, FG_CHOICE_CLUSTERING));
	assert_true(look(1, FG_CHOICE_CLUSTERING)); /* it has not heard of the other, and takes the same */
	tell(0);
	tell(1);
	assert_false(look(0, FG_CHOICE_CLUSTERING));
	assert_true(look(1, FG_CHOICE_CLUSTERING));
	assert_int_equal(in_common(), 0);
}

/* Fewer are free than wanted: it grows when a PU comes free, and not before. */
static void
grows(void **state)
{
	(void)state;
	n = 2;
	own_pu[0] = 0;
	own_pu[1] = 40;
	wanted[0] = 46;
	wanted[1] = 4;
	assert_true(look(0, FG_CHOICE_CLUSTERING));
	tell(0);
	assert_true(look(1, FG_CHOICE_CLUSTERING));
	unsigned before = sets[1].n;
	assert_in_range(before, 1, 3);
	assert_false(look(1, FG_CHOICE_CLUSTERING));
	memset(&told[0], 0, sizeof told[0]);
	assert_true(look(1, FG_CHOICE_CLUSTERING));
	assert_int_equal(sets[1].n, 4);
}

/* As a running program looks (share/own_set.c): it takes no more than its share, and its root goes to its set. */
static bool
look_live(unsigned i)
{
	struct fg_request request = {.largest = wanted[i]};
	struct fg_pus lower = union_of(0, i, i), others = union_of(0, n, i);
	own_pu[i] = request.pu = fg_set_origin(&sets[i], &distances, own_pu[i], wanted[i], &lower, &others);
	return fg_set_look(&sets[i], FG_CHOICE_ENHANCED, &distances, &request, wanted[i], &lower, &others);
}

/* Roots are on one node of 12 PUs, and each program ends up on a node of its own. */
static void
roots_leave(void **state)
{
	(void)state;
	n = 4;
	for (unsigned i = 0; i < n; i++) {
		own_pu[i] = i;
		wanted[i] = 12;
	}
	for (unsigned round = 0; round < n; round++)
		for (unsigned i = 0; i < n; i++) {
			look_live(i);
			tell(i);
		}
	for (unsigned i = 0; i < n; i++) {
		assert_int_equal(sets[i].n, 12);
		assert_int_equal(own_pu[i], sets[i].pus[0]);
		for (unsigned k = 1; k < 12; k++)
			assert_int_equal(sets[i].pus[k] / 12, sets[i].pus[0] / 12);
		assert_false(look_live(i));
	}
	assert_int_equal(own_pu[0], 0); /* the lowest stays */
}

/* A root that is elsewhere for a moment, or in whose PU a higher program has an interest, changes nothing. */
static void
root_returns(void **state)
{
	struct fg_pus none = {{0}}, taken = {{0}};
	(void)state;
	n = 1;
	own_pu[0] = 5;
	wanted[0] = 4;
	assert_true(look_live(0));
	fg_pus_add(&taken, 5);
	assert_int_equal(fg_set_origin(&sets[0], &distances, 30, 4, &none, &none), 5);
	assert_int_equal(fg_set_origin(&sets[0], &distances, 30, 4, &none, &taken), 5);
	unsigned other = fg_set_origin(&sets[0], &distances, 30, 4, &taken, &taken);
	assert_int_not_equal(other, 5);
	assert_int_equal(sets[0].n, 0);
	assert_int_equal(fg_set_origin(&sets[0], &distances, 30, 4, &none, &none), 30);
	for (unsigned pu = 0; pu < PUS; pu++)
		fg_pus_add(&taken, pu);
	assert_int_equal(fg_set_origin(&sets[0], &distances, 30, 4, &taken, &taken), 30); /* there is no other */
}

static void
uses(void **state)
{
	struct fg_set set = {.n = 4, .asked = 5, .free = 9};
	(void)state;
	assert_int_equal(fg_set_uses(&set, 5), 4); /* it ends at a border */
	assert_int_equal(fg_set_uses(&set, 4), 4);
	set.free = 4;
	assert_int_equal(fg_set_uses(&set, 5), 5); /* others have the rest */
}

static void
some_programs(void)
{
	memset(sets, 0, sizeof sets);
	memset(told, 0, sizeof told);
	n = 2 + (unsigned)rand() % (MOST - 1);
	for (unsigned i = 0; i < n; i++) {
		own_pu[i] = (unsigned)rand() % PUS;
		wanted[i] = 1 + (unsigned)rand() % (rand() % 2 ? 2 * PUS / n : PUS);
		if (wanted[i] > PUS)
			wanted[i] = PUS;
	}
}

static void
in_turn(void **state)
{
	(void)state;
	srand(1);
	for (unsigned round = 0; round < 600; round++) {
		some_programs();
		for (unsigned step = 0; step < 60; step++) {
			unsigned i = (unsigned)rand() % n;
			if (rand() % 8 == 0)
				wanted[i] = 1 + (unsigned)rand() % PUS;
			look(i, round % FG_CHOICES);
			tell(i);
			assert_int_equal(in_common(), 0);
		}
	}
}

/* All look at the same old words, again and again. */
static void
all_at_once(void **state)
{
	unsigned most = 0;
	(void)state;
	srand(2);
	for (unsigned round = 0; round < 2000; round++) {
		some_programs();
		unsigned looks = 0;
		for (bool changed = true; changed; looks++) {
			changed = false;
			for (unsigned i = 0; i < n; i++)
				changed |= look(i, round % FG_CHOICES);
			for (unsigned i = 0; i < n; i++)
				tell(i);
			assert_true(looks <= n + 4); /* the last one finds that nothing is left to do */
		}
		assert_int_equal(in_common(), 0);
		most = looks > most ? looks : most;
	}
	assert_true(most > 2); /* some had to yield */
}

/* The same of running programs with shares of the machine: no PU is in two sets, and nobody has more than its share. */
static void
live_at_once(void **state)
{
	unsigned most = 0;
	(void)state;
	srand(3);
	for (unsigned round = 0; round < 2000; round++) {
		some_programs();
		for (unsigned i = 0; i < n; i++)
			wanted[i] = 1 + (unsigned)rand() % (PUS / n);
		unsigned looks = 0;
		for (bool changed = true; changed; looks++) {
			changed = false;
			for (unsigned i = 0; i < n; i++)
				changed |= look_live(i);
			for (unsigned i = 0; i < n; i++)
				tell(i);
			assert_true(looks <= 2 * n + 4);
		}
		for (unsigned i = 0; i < n; i++) {
			assert_in_range(sets[i].n, wanted[i] - (wanted[i] + 1) / 4, wanted[i]);
			for (unsigned k = 0; k < i; k++)
				for (unsigned word = 0; word < FG_CHOICE_PUS / 64; word++)
					assert_int_equal(told[i].bits[word] & told[k].bits[word], 0);
		}
		most = looks > most ? looks : most;
	}
	assert_true(most > 2);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(keeps, setup, teardown),
		cmocka_unit_test_setup_teardown(lower_stays, setup, teardown),
		cmocka_unit_test_setup_teardown(grows, setup, teardown),
		cmocka_unit_test_setup_teardown(roots_leave, setup, teardown),
		cmocka_unit_test_setup_teardown(root_returns, setup, teardown),
		cmocka_unit_test(uses),
		cmocka_unit_test_setup_teardown(in_turn, setup, teardown),
		cmocka_unit_test_setup_teardown(all_at_once, setup, teardown),
		cmocka_unit_test_setup_teardown(live_at_once, setup, teardown),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
