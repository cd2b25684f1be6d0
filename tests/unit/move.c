/* The table of exec/move/move.c: each kind of thread moves in its way, or says why it stays. The team has three workers
 * on three PUs: the root's; the second, alone with its member; and the third, with two members. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "exec/ground/options.h"
#include "exec/move/move.h"
#include "exec/pool/hiring.h"
#include "exec/roots/root.h"
#include "exec/thread/levels.h"
#include "exec/thread/root_state.h"
#include "exec/thread/whole_worker.h"
#include "exec/thread/worker.h"
#include "exec/thread/worker_parts.h"

#include <cmocka.h>

#define PUS 3

static struct fg_root root;
static struct fg_whole_worker whole[PUS];
static struct fg_identity home[PUS], donor, other;
static struct fg_berth berth[PUS];
static struct fg_atomic_ptr slot[PUS];
static uint16_t pu[PUS];

static int
begin(void **state)
{
	(void)state;
	fg_exec_options.n_pus = PUS;
	fg_levels_start();
	fg_store_relaxed(&fg_all_workers.first, NULL);
	memset(whole, 0, sizeof whole);
	memset(home, 0, sizeof home);
	donor = (struct fg_identity){.kind = FG_DONOR, .crew_of = &whole[2].worker, .pinned = &whole[2].worker};
	other = (struct fg_identity){.kind = FG_DONOR};
	root.dock = (struct fg_dock){.slot = slot, .berth = berth, .pu = pu, .held = PUS};
	fg_store_relaxed(&root.dock.owner, &root);
	for (unsigned i = 0; i < PUS; i++) {
		fg_worker_init(&whole[i].worker, &home[i], i, fg_levels_leaf(i));
		whole[i].worker.crew = (struct fg_crew){.count = 1 + (i == 2), .slots = PUS, .team = slot};
		fg_parts(&whole[i].worker)->lend.lends = true;
		home[i].crew_of = &whole[i].worker;
		berth[i] = (struct fg_berth){&root.dock, i};
		fg_store_relaxed(&whole[i].worker.post, &berth[i]);
		fg_store_relaxed(&slot[i], &whole[i].worker);
		pu[i] = (uint16_t)i;
	}
	home[0].root = &root;
	return 0;
}

static bool
move(struct fg_identity *identity, unsigned to)
{
	return fg_move(&identity->entity, fg_levels_leaf(to));
}

static void
stays(struct fg_identity *identity, const char *why)
{
	assert_false(fg_move_is_free(&identity->entity));
	assert_false(move(identity, 1));
	assert_non_null(strstr(fg_move_why_not(&identity->entity), why));
	assert_null(fg_load_relaxed(&identity->entity.sent));
}

static void
some_kinds_stay(void **state)
{
	(void)state;
	stays(&home[0], "a thread of the program");
	stays(&home[2], "belongs to it");
	donor.place = 1;
	stays(&donor, "bound to a place");
	donor.crew_of = NULL;
	stays(&donor, "a kernel thread of its own");
}

static void
free_one_gets_a_mark(void **state)
{
	(void)state;
	other.worker = &whole[1].worker;
	assert_true(fg_move_is_free(&other.entity));
	assert_true(move(&other, 2));
	assert_ptr_equal(fg_load_relaxed(&other.entity.sent), fg_levels_leaf(2));
	donor.pinned = NULL; /* it has met a nested region */
	assert_true(move(&donor, 0));
	assert_ptr_equal(fg_load_relaxed(&donor.entity.sent), fg_levels_leaf(0));
	assert_null(fg_load_relaxed(&donor.in_crew.to));
}

static void
lone_one_goes_with_its_worker(void **state)
{
	(void)state;
	assert_true(move(&home[1], 1)); /* it is there */
	assert_int_equal(fg_load_relaxed(&whole[1].worker.notice), 0);
	assert_false(move(&home[1], 0)); /* the root's worker keeps its seat */
	assert_true(move(&home[1], 2));
	assert_ptr_equal(fg_load_relaxed(&whole[1].worker.seat), fg_levels_leaf(2));
	assert_ptr_equal(fg_load_relaxed(&whole[2].worker.seat), fg_levels_leaf(1));
	assert_int_equal(fg_load_relaxed(&whole[1].worker.notice), FG_NOTICE_MOVE);
	assert_int_equal(fg_load_relaxed(&whole[2].worker.notice), FG_NOTICE_MOVE);
	assert_ptr_equal(home[1].pinned, &whole[1].worker);
	fg_store_relaxed(&whole[1].worker.post, NULL); /* it is in no flat region */
	assert_false(move(&home[1], 1));
	assert_non_null(strstr(fg_move_why_not(&home[1].entity), "no other worker"));
}

static void
one_of_a_crew_goes_to_another(void **state)
{
	(void)state;
	assert_true(move(&donor, 1));
	assert_ptr_equal(fg_load_relaxed(&donor.in_crew.to), &whole[1].worker);
	assert_int_equal(fg_load_relaxed(&fg_parts(&whole[2].worker)->lend.parts), 1);
	assert_ptr_equal(donor.crew_of, &whole[2].worker); /* until its next barrier */
	assert_int_equal(fg_load_relaxed(&whole[2].worker.notice), 0);
	assert_null(fg_load_relaxed(&donor.entity.sent));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(some_kinds_stay, begin),
		cmocka_unit_test_setup(free_one_gets_a_mark, begin),
		cmocka_unit_test_setup(lone_one_goes_with_its_worker, begin),
		cmocka_unit_test_setup(one_of_a_crew_goes_to_another, begin),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
