/* The view of `forestgomp top`: what the entries tell, and any bytes in their place. */
#include "view.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define S UINT64_C(1000000000)

static struct fg_board board;
static struct view_program programs[FG_BOARD_ENTRIES];
static const struct fg_fair_entry told = {2500, FG_FAIR_WEIGHT};

static void
empty(void **state)
{
	assert_int_equal(view_programs(&board, 100 * S, programs), 0);
}

static void
tells(void **state)
{
	struct fg_cpuset cpus = {{6}};
	bool others;
	uint64_t now = 100 * S, a = fg_entry_word(5, now), b = fg_entry_word(4000000, now);
	memset(&board, 0, sizeof board);
	fg_entry_take(&board, a, now, fg_entry_pack(&told), &others);
	fg_entry_take(&board, b, now, fg_entry_pack(&told), &others);
	fg_entry_tell(&board, 0, now, &told, &cpus);
	fg_entry_tell_set(&board, 0, &(struct fg_cpuset){{2}});
	fg_entry_show(&board, 0, &(struct fg_entry_look){.granted = 2, .wanted = 3, .pus = 4}, 5 * S, 7 * S);
	fg_entry_show(&board, 1, &(struct fg_entry_look){.granted = 8, .wanted = 8, .pus = 8, .bound = true}, 0, 0);
	fg_entry_limit(&board, 0, a, 3);
	fg_entry_limit(&board, 1, a, 3);
	assert_int_equal(view_programs(&board, now + S / 1000, programs), 2);
	assert_int_equal(programs[0].process, 5);
	assert_int_equal(programs[1].process, 4000000);
	assert_int_equal(programs[0].granted, 2);
	assert_int_equal(programs[0].wanted, 3);
	assert_int_equal(programs[0].pus, 4);
	assert_int_equal(programs[0].limit, 3);
	assert_int_equal(programs[1].limit, 0); /* it was another owner's */
	assert_true(programs[0].used == 5 * S && programs[0].lost == 7 * S && programs[0].demand == 2.5);
	assert_false(programs[0].bound);
	assert_true(programs[1].bound);
	assert_true(fg_cpuset_equal(&programs[0].cpus, &cpus));
	assert_true(programs[0].active && programs[0].chooses && !programs[1].chooses);
	assert_true(fg_cpuset_equal(&programs[0].set, &(struct fg_cpuset){{2}}));
	view_programs(&board, now + S, programs);
	assert_false(programs[0].active || programs[0].chooses); /* it has not looked for long */
	fg_entry_leave(&board, 0, a);
	assert_int_equal(view_programs(&board, now, programs), 1);
	assert_int_equal(programs[0].process, 4000000);
}

static void
any_bytes(void **state)
{
	unsigned char *bytes = (unsigned char *)&board;
	unsigned seen = 0;
	srand(5);
	for (unsigned round = 0; round < 2000; round++) {
		for (unsigned i = 0; i < sizeof board; i++)
			bytes[i] = round % 3 ? (unsigned char)rand() : round % 2 ? 0xff : 0;
		unsigned n = view_programs(&board, 100 * S, programs);
		assert_in_range(n, 0, FG_BOARD_ENTRIES);
		seen += n;
		for (unsigned i = 0; i < n; i++) {
			const struct view_program *program = &programs[i];
			assert_true(program->process > 0 && program->word != 0);
			assert_in_range(program->pus, 0, FG_BOARD_PUS);
			assert_in_range(program->granted, 0, program->pus);
			assert_in_range(program->wanted, 0, program->pus);
			assert_true(program->demand >= 0 && program->demand <= FG_BOARD_PUS);
			assert_in_range(fg_cpuset_count(&program->cpus), 0, FG_BOARD_PUS);
		}
	}
	assert_true(seen > 100000);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(empty), cmocka_unit_test(tells),
					   cmocka_unit_test(any_bytes)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
