/* Turns: two heaps, in random order, each against a search of all its places. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "sim/turns.h"

#define PLACES 40

struct heap {
	struct fg_turns turns;
	struct fg_turn turn[PLACES];
};

/* The first place by time, order and number, of those that are there. */
static struct fg_turn *
first(struct heap *heap)
{
	struct fg_turn *first = NULL;
	for (unsigned i = 0; i < PLACES; i++) {
		struct fg_turn *turn = &heap->turn[i];
		if (!turn->at)
			continue;
		if (!first || turn->time < first->time || (turn->time == first->time && turn->order < first->order))
			first = turn;
	}
	return first;
}

static void
step(struct heap *heap)
{
	struct fg_turn *expected = first(heap);
	assert_int_equal(fg_turns_next(&heap->turns), expected ? expected->time : UINT64_MAX);
	if (rand() % 3 == 0) {
		assert_ptr_equal(fg_turns_take(&heap->turns), expected);
		assert_true(!expected || expected->at == 0);
		return;
	}
	struct fg_turn *turn = &heap->turn[rand() % PLACES];
	turn->time = (uint64_t)(rand() % 20);
	turn->order = (uint64_t)(rand() % 3);
	assert_true(fg_turns_put(&heap->turns, turn));
}

static void
two_heaps(void **state)
{
	static struct heap one, other;
	(void)state;
	srand(1);
	for (uint32_t i = 0; i < PLACES; i++)
		one.turn[i].number = other.turn[i].number = i;
	assert_true(fg_turns_reserve(&one.turns, PLACES));
	for (unsigned i = 0; i < 20000; i++)
		step(rand() % 2 ? &one : &other);
	fg_turns_clear(&one.turns);
	assert_null(fg_turns_take(&one.turns));
	struct fg_turn *left = first(&other);
	assert_ptr_equal(fg_turns_take(&other.turns), left);
	free(one.turns.turn);
	free(other.turns.turn);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(two_heaps)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
