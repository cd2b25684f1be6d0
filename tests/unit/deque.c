/* Unit tests of a deque, in one thread: which task each end gives, growth, and an empty deque. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

#include "team/tasks/deque.h"

#include <cmocka.h>

#define MANY 1000

static struct fg_deque deque;
static void *first;
static char task[MANY], family[MANY];

static int
begin(void **state)
{
	(void)state;
	first = calloc(1, fg_deque_first_bytes());
	assert_non_null(first);
	fg_deque_init(&deque);
	assert_false(fg_deque_push(&deque, &task[0], &family[0])); /* it is closed */
	assert_int_equal(fg_deque_count(&deque), 0);
	assert_null(fg_deque_oldest(&deque));
	fg_deque_open(&deque, first);
	return 0;
}

static int
end(void **state)
{
	(void)state;
	fg_deque_trim(&deque);
	assert_ptr_equal(fg_load_relaxed(&deque.ring), first);
	free(first);
	return 0;
}

static void
push(unsigned i)
{
	assert_true(fg_deque_push(&deque, &task[i], &family[i]));
}

/* For a thief that takes any task, and looks at its family. */
static bool
takes(void *of, void *arg)
{
	*(void **)arg = of;
	return true;
}

static bool
refuses(void *of, void *arg)
{
	return !takes(of, arg);
}

static void
stolen(unsigned i)
{
	void *of = NULL;
	assert_ptr_equal(fg_deque_oldest(&deque), &family[i]);
	assert_ptr_equal(fg_deque_steal(&deque, takes, &of), &task[i]);
	assert_ptr_equal(of, &family[i]);
}

static void
popped(unsigned i)
{
	assert_ptr_equal(fg_deque_newest(&deque), &family[i]);
	assert_ptr_equal(fg_deque_pop(&deque), &task[i]);
}

static void
empty(void)
{
	void *of = NULL;
	assert_int_equal(fg_deque_count(&deque), 0);
	assert_null(fg_deque_newest(&deque));
	assert_null(fg_deque_oldest(&deque));
	assert_null(fg_deque_steal(&deque, takes, &of));
	assert_null(of);
	assert_null(fg_deque_pop(&deque));
	assert_int_equal(fg_deque_count(&deque), 0);
}

static void
is_empty_again_and_again(void **state)
{
	(void)state;
	empty();
	for (unsigned i = 0; i < 200; i++) {
		push(i);
		assert_int_equal(fg_deque_count(&deque), 1);
		i % 2 ? popped(i) : stolen(i);
		empty();
	}
}

static void
gives_the_newest_and_the_oldest(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 10; i++)
		push(i);
	for (unsigned i = 0; i < 5; i++) {
		assert_int_equal(fg_deque_count(&deque), 10 - 2 * i);
		stolen(i);
		popped(9 - i);
	}
	empty();
}

static void
leaves_a_task_that_the_thief_refuses(void **state)
{
	(void)state;
	void *of = NULL;
	push(0);
	push(1);
	assert_null(fg_deque_steal(&deque, refuses, &of));
	assert_ptr_equal(of, &family[0]);
	assert_int_equal(fg_deque_count(&deque), 2);
	stolen(0);
	popped(1);
}

/* The ring grows from each place of its top. No task is lost, and the order stays. */
static void
grows(void **state)
{
	(void)state;
	for (unsigned top = 0; top < 70; top += 7) {
		for (unsigned i = 0; i < top; i++) {
			push(i);
			stolen(i);
		}
		for (unsigned i = 0; i < MANY; i++)
			push(i);
		assert_int_equal(fg_deque_count(&deque), MANY);
		for (unsigned i = 0; i < MANY / 2; i++) {
			stolen(i);
			popped(MANY - 1 - i);
		}
		empty();
		fg_deque_trim(&deque);
		assert_ptr_equal(fg_load_relaxed(&deque.ring), first);
	}
}

/* The first ring does not grow while it has room, however far top and bottom go. */
static void
goes_round(void **state)
{
	(void)state;
	for (unsigned i = 0; i < MANY; i++) {
		push(i);
		if (i >= 40)
			stolen(i - 40);
	}
	assert_int_equal(fg_deque_count(&deque), 40);
	assert_ptr_equal(fg_load_relaxed(&deque.ring), first);
	for (unsigned i = MANY; i > MANY - 40; i--)
		popped(i - 1);
	empty();
}

static void
knows_how_many_it_holds(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 20; i++)
		push(i);
	for (unsigned n = 20; n > 0; n--) {
		assert_true(fg_deque_still_holds(&deque, n));
		assert_false(fg_deque_still_holds(&deque, n + 1));
		assert_true(fg_deque_holds(&deque, n));
		assert_false(fg_deque_holds(&deque, n + 1));
		assert_int_equal(fg_deque_count(&deque), n);
		stolen(20 - n);
	}
	assert_false(fg_deque_still_holds(&deque, 1));
	assert_false(fg_deque_holds(&deque, 1));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(is_empty_again_and_again, begin, end),
		cmocka_unit_test_setup_teardown(gives_the_newest_and_the_oldest, begin, end),
		cmocka_unit_test_setup_teardown(leaves_a_task_that_the_thief_refuses, begin, end),
		cmocka_unit_test_setup_teardown(grows, begin, end),
		cmocka_unit_test_setup_teardown(goes_round, begin, end),
		cmocka_unit_test_setup_teardown(knows_how_many_it_holds, begin, end),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
