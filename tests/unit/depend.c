/* Unit tests of dependences: both forms of the ABI's array, and which pairs of tasks are ordered. */
#include "team/depend.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

static int a, b;

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
ordered(void *first, unsigned first_kind, void *second, unsigned second_kind)
{
	struct fg_depend one = {first, first_kind}, two = {second, second_kind};
	return fg_depend_conflict(&(struct fg_depend_list){&one, 1}, &(struct fg_depend_list){&two, 1});
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
	struct fg_depend all = {NULL, FG_DEPEND_INOUT};
	assert_false(fg_depend_conflict(&(struct fg_depend_list){&all, 1}, &(struct fg_depend_list){NULL, 0}));
}

static void
takes_the_stronger_of_two(void **state)
{
	struct fg_depend twice[] = {{&a, FG_DEPEND_IN}, {&a, FG_DEPEND_OUT}}, read = {&a, FG_DEPEND_IN};
	assert_true(fg_depend_conflict(&(struct fg_depend_list){twice, 2}, &(struct fg_depend_list){&read, 1}));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_the_short_form),	      cmocka_unit_test(reads_the_long_form),
		cmocka_unit_test(orders_by_address_and_kind), cmocka_unit_test(orders_all_memory_against_all),
		cmocka_unit_test(takes_the_stronger_of_two),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
