/* Unit tests of dependences: both forms of the ABI's array, and which children follow which. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "team/tasks/depend_table.h"
#include "team/tasks/pool.h"

#include <cmocka.h>

static int a, b;
static struct fg_task_pool pool;
static struct fg_task_member member = {.pool = &pool};

static void
reads_the_short_form(void **state)
{
	void *depend[] = {(void *)3, (void *)1, &a, &b, &a};
	struct fg_depend items[3];
	assert_int_equal(fg_depend_count(depend), 3);
	fg_depend_read(depend, items);
	assert_ptr_equal(items[0].address, &a);
	assert_int_equal(items[0].kind, FG_DEPEND_INOUT);
	assert_ptr_equal(items[1].address, &b);
	assert_int_equal(items[1].kind, FG_DEPEND_IN);
	assert_int_equal(items[2].kind, FG_DEPEND_IN);
}

static void
reads_the_long_form(void **state)
{
	void *object[] = {&b, (void *)FG_DEPEND_INOUTSET};
	void *depend[] = {NULL, (void *)4, (void *)1, (void *)1, (void *)1, &a, &b, &a, object};
	struct fg_depend items[4];
	assert_int_equal(fg_depend_count(depend), 4);
	fg_depend_read(depend, items);
	unsigned kinds[] = {FG_DEPEND_INOUT, FG_DEPEND_MUTEX, FG_DEPEND_IN, FG_DEPEND_INOUTSET};
	void *addresses[] = {&a, &b, &a, &b};
	for (int i = 0; i < 4; i++) {
		assert_int_equal(items[i].kind, kinds[i]);
		assert_ptr_equal(items[i].address, addresses[i]);
	}
}

static bool
enter(struct fg_task *parent, void **depend, struct fg_deferred *task)
{
	*task = (struct fg_deferred){.pool = &pool};
	return fg_depend_enter(&member, parent, depend, task) == FG_DEPEND_READY;
}

/* How many become ready. */
static unsigned
complete(struct fg_deferred *task)
{
	unsigned n = fg_depend_complete(&member, task->node) != NULL;
	while (fg_deque_pop(&member.deque))
		n++;
	return n;
}

/* A child with the second list follows one with the first. */
static bool
ordered_lists(struct fg_depend *first, unsigned n_first, struct fg_depend *second, unsigned n_second)
{
	struct fg_task parent = {0};
	void *lists[2][5 + 4], *objects[2][4][2];
	struct fg_depend *items[] = {first, second};
	unsigned counts[] = {n_first, n_second};
	for (int i = 0; i < 2; i++) {
		void *head[] = {NULL, (void *)(uintptr_t)counts[i], NULL, NULL, NULL};
		memcpy(lists[i], head, sizeof head);
		for (unsigned k = 0; k < counts[i]; k++) {
			objects[i][k][0] = items[i][k].address;
			objects[i][k][1] = (void *)(uintptr_t)items[i][k].kind;
			lists[i][5 + k] = objects[i][k];
		}
	}
	struct fg_deferred one, two;
	assert_true(enter(&parent, lists[0], &one));
	bool precedes = fg_depend_precedes(&parent, lists[1]);
	assert_int_equal(enter(&parent, lists[1], &two), !precedes);
	assert_int_equal(complete(&one), precedes);
	assert_int_equal(complete(&two), 0);
	assert_false(fg_depend_precedes(&parent, lists[0]));
	fg_depend_table_free(&parent, &member.store);
	return precedes;
}

static bool
ordered(void *first, unsigned first_kind, void *second, unsigned second_kind)
{
	struct fg_depend one = {first, first_kind}, two = {second, second_kind};
	return ordered_lists(&one, 1, &two, 1);
}

static void
orders_by_address_and_kind(void **state)
{
	/* Rows and columns: in, out, inout, mutexinoutset, inoutset. */
	static const bool wanted[5][5] = {
		{false, true, true, true, true}, {true, true, true, true, true},  {true, true, true, true, true},
		{true, true, true, true, true},	 {true, true, true, true, false},
	};
	for (unsigned one = FG_DEPEND_IN; one <= FG_DEPEND_INOUTSET; one++)
		for (unsigned two = FG_DEPEND_IN; two <= FG_DEPEND_INOUTSET; two++) {
			assert_int_equal(ordered(&a, one, &a, two), wanted[one - 1][two - 1]);
			assert_false(ordered(&a, one, &b, two));
		}
}

static void
orders_all_memory_against_all(void **state)
{
	assert_true(ordered(NULL, FG_DEPEND_INOUT, &a, FG_DEPEND_IN));
	assert_true(ordered(&a, FG_DEPEND_IN, NULL, FG_DEPEND_INOUT));
	assert_false(ordered(NULL, FG_DEPEND_IN, &a, FG_DEPEND_OUT));
	assert_true(ordered(NULL, FG_DEPEND_INOUT, NULL, FG_DEPEND_OUT));
}

static void
takes_the_stronger_of_two(void **state)
{
	struct fg_depend twice[] = {{&a, FG_DEPEND_IN}, {&a, FG_DEPEND_OUT}}, read = {&a, FG_DEPEND_IN};
	struct fg_depend both[] = {{&a, FG_DEPEND_IN}, {&a, FG_DEPEND_INOUTSET}}, set = {&a, FG_DEPEND_INOUTSET};
	assert_true(ordered_lists(twice, 2, &read, 1));
	assert_true(ordered_lists(&read, 1, twice, 2));
	assert_true(ordered_lists(both, 2, &read, 1));
	assert_true(ordered_lists(both, 2, &set, 1));
}

/* out, three in, out: each in follows the first, the last follows the three; many addresses make the table grow. */
static void
keeps_generations(void **state)
{
	struct fg_task parent = {0};
	static char address[100];
	void *write[] = {(void *)1, (void *)1, NULL}, *read[] = {(void *)1, (void *)0, NULL};
	for (unsigned k = 0; k < sizeof address; k++) {
		struct fg_deferred task[5];
		write[2] = read[2] = &address[k];
		for (int i = 0; i < 5; i++)
			assert_int_equal(enter(&parent, i % 4 ? read : write, &task[i]), i == 0);
		static const unsigned wanted[5] = {3, 0, 0, 1, 0};
		for (int i = 0; i < 5; i++)
			assert_int_equal(complete(&task[i]), wanted[i]);
	}
	fg_depend_table_free(&parent, &member.store);
}

int
main(void)
{
	fg_deque_init(&member.deque);
	fg_deque_open(&member.deque, calloc(1, fg_deque_first_bytes()));
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_the_short_form),	      cmocka_unit_test(reads_the_long_form),
		cmocka_unit_test(orders_by_address_and_kind), cmocka_unit_test(orders_all_memory_against_all),
		cmocka_unit_test(takes_the_stronger_of_two),  cmocka_unit_test(keeps_generations),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
