/* The set of this process on a board: it is told, keeps clear of the sets of others, and outlives any bytes there. */
#include "share/own_set.h"
#include "share/entry.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define S UINT64_C(1000000000)
#define MS UINT64_C(1000000)
#define PUS 16
#define OWN 2 /* entry */

static struct fg_board board;
static struct fg_machine *machine;
static struct fg_cpuset cpus;
static uint64_t now = 100 * S;

static struct fg_cpuset
range(unsigned first, unsigned n)
{
	struct fg_cpuset set = {{0}};
	for (unsigned cpu = first; cpu < first + n; cpu++)
		fg_cpuset_add(&set, cpu);
	return set;
}

static void
other(unsigned entry, unsigned first, unsigned n)
{
	struct fg_fair_entry told = {PUS * 1000, FG_FAIR_WEIGHT};
	struct fg_cpuset set = range(first, n);
	fg_store_relaxed(&board.entry[entry].taken, entry + 1);
	fg_entry_tell(&board, entry, now, &told, &cpus);
	fg_entry_tell_set(&board, entry, &set);
	fg_store_relaxed(&board.used, 8);
}

static unsigned
look(unsigned granted, int root)
{
	struct fg_own_request request = {granted, root, &cpus};
	return fg_own_set_look(&board, OWN, now, &request);
}

static void
expect(unsigned first, unsigned n)
{
	struct fg_cpuset set = range(first, n), all = range(0, PUS);
	fg_own_set_narrow(&all);
	assert_memory_equal(&all, &set, sizeof set);
	assert_int_equal(fg_load_relaxed(&fg_own_set.pus), n);
	for (unsigned i = 0; i < FG_BOARD_PUS / 64; i++)
		assert_int_equal(fg_load_relaxed(&board.entry[OWN].set[i]), set.bits[i]);
}

/* Two nodes of two caches of four PUs. */
static int
setup(void **state)
{
	const char *why;
	(void)state;
	machine = fg_machine_synthetic("numa:2 l3:2 core:4", &why);
	cpus = range(0, PUS);
	fg_own_set.on = true;
	return machine && fg_own_set_keep(machine) ? 0 : -1;
}

static void
begin(void)
{
	memset(&board, 0, sizeof board);
	fg_own_set_after_fork();
	fg_store_relaxed(&board.entry[OWN].taken, OWN + 1);
}

static void
keeps_one_machine(void **state)
{
	const char *why;
	(void)state;
	struct fg_machine *even = fg_machine_synthetic("core:4", &why),
			  *second = fg_machine_synthetic("l3:2 core:2", &why);
	assert_false(fg_own_set_keep(even));
	assert_false(fg_own_set_keep(second));
	fg_machine_free(even);
	fg_machine_free(second);
}

static void
is_told(void **state)
{
	(void)state;
	begin();
	uint32_t changes = fg_own_set.changes;
	other(0, 0, 4);
	assert_int_equal(look(4, 1), 4); /* the root is on a PU of the other program, which came first */
	expect(4, 4);
	assert_int_equal(fg_load_relaxed(&fg_own_set.own_pu), 4);
	assert_true(fg_own_set.changes != changes && fg_own_set_binds());
	changes = fg_own_set.changes;
	assert_int_equal(look(4, 1), 4);
	assert_true(fg_own_set.changes == changes); /* nothing has changed, so nobody sits down anew */
	assert_int_equal(look(5, 1), 4);	    /* the fifth is left to others */
	other(1, 6, 2);
	assert_int_equal(look(4, 1), 4); /* it yields to a lower entry, and its own PU stays */
	assert_int_equal(fg_load_relaxed(&board.entry[OWN].set[0]), 0x330);
	other(5, 8, 4);
	assert_int_equal(look(4, 1), 4); /* a higher entry yields */
	assert_int_equal(fg_load_relaxed(&board.entry[OWN].set[0]), 0x330);
	struct fg_cpuset lower, others, wanted = range(0, 8);
	fg_entry_read_sets(&board, OWN, now, &lower, &others);
	fg_cpuset_clear(&wanted);
	for (unsigned cpu = 0; cpu < 8; cpu++)
		if (cpu < 4 || cpu > 5)
			fg_cpuset_add(&wanted, cpu);
	assert_memory_equal(&lower, &wanted, sizeof wanted);
	for (unsigned cpu = 8; cpu < 12; cpu++)
		fg_cpuset_add(&wanted, cpu);
	assert_memory_equal(&others, &wanted, sizeof wanted);
}

/* Others have the rest, so the set is too small: it is told, and binds nobody. It grows once they have gone. */
static void
too_small(void **state)
{
	(void)state;
	begin();
	other(0, 0, 13);
	assert_int_equal(look(6, 15), 6);
	assert_false(fg_own_set_binds());
	assert_int_equal(fg_load_relaxed(&board.entry[OWN].set[0]), 0xe000);
	now += 30 * MS;
	assert_int_equal(look(8, 15), 8);
	expect(8, 8);
}

static void
is_lost(void **state)
{
	(void)state;
	begin();
	other(0, 0, 4);
	look(4, 1);
	fg_own_set_pause();
	assert_false(fg_own_set_binds());
	assert_true(fg_load_relaxed(&fg_own_set.company));
	assert_int_equal(fg_load_relaxed(&board.entry[OWN].set[0]), 0xf0);
	look(4, 1);
	expect(4, 4);
	fg_own_set_forget(&board, OWN);
	expect(0, 0);
	assert_false(fg_load_relaxed(&fg_own_set.company));
	uint32_t changes = fg_own_set.changes;
	fg_own_set_forget(&board, OWN);
	assert_true(fg_own_set.changes == changes);
	other(0, 12, 4);
	look(4, 1);
	expect(4, 4); /* where it was, because nobody is there */
	fg_own_set_forget(&board, OWN);
	other(0, 0, 8);
	look(4, 9);
	expect(8, 4); /* where its root is */
}

/* The process may not use some PUs any more. */
static void
narrowed(void **state)
{
	(void)state;
	begin();
	other(0, 0, 4);
	look(4, 5);
	cpus = range(8, 8);
	look(4, 5);
	cpus = range(0, PUS);
	expect(8, 4);
}

/* All entries hold any bytes. The set stays within the PUs of the process, and is no larger than its share. */
static void
any_bytes(void **state)
{
	(void)state;
	srand(1);
	for (unsigned round = 0; round < 20000; round++) {
		unsigned granted = 1 + (unsigned)rand() % PUS, dense = (unsigned)rand() % 4;
		if (round % 50 == 0)
			begin();
		for (unsigned entry = 0; entry < 8; entry++) {
			other(entry, 0, 0);
			for (unsigned i = 0; i < FG_BOARD_PUS / 64; i++)
				fg_store_relaxed(&board.entry[entry].set[i],
						 dense == 3 ? ~UINT64_C(0) : (uint64_t)rand() << 33 ^ (uint64_t)rand());
			if (dense != 2)
				fg_store_relaxed(&board.entry[entry].set[0], (uint64_t)rand() & (uint64_t)rand());
		}
		fg_store_relaxed(&board.used, (uint32_t)rand());
		unsigned uses = look(granted, rand() % 3000 - 500);
		struct fg_cpuset set = {{~UINT64_C(0), ~UINT64_C(0)}}, told = {{0}};
		fg_own_set_narrow(&set);
		for (unsigned i = 0; i < FG_BOARD_PUS / 64; i++)
			told.bits[i] = fg_load_relaxed(&board.entry[OWN].set[i]);
		assert_in_range(uses, 1, granted);
		assert_in_range(fg_cpuset_count(&told), 1, granted);
		assert_in_range(fg_cpuset_next(&told, 0), 0, PUS - 1);
		assert_int_equal(fg_cpuset_next(&told, PUS), FG_CPUSET_MAX);
		assert_memory_equal(&set, &told, sizeof set);
		assert_true(!fg_own_set_binds() || fg_load_relaxed(&fg_own_set.pus) >= uses);
		if (rand() % 4 == 0)
			fg_own_set_pause();
		if (rand() % 16 == 0)
			fg_own_set_forget(&board, OWN);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(keeps_one_machine), cmocka_unit_test(is_told),	 cmocka_unit_test(too_small),
		cmocka_unit_test(is_lost),	     cmocka_unit_test(narrowed), cmocka_unit_test(any_bytes),
	};
	return cmocka_run_group_tests(tests, setup, NULL);
}
