/* Plans: the node of each page, full nodes, what the system is told; and the moves of pages to where a plan says. The
 * system is made up: 4 nodes in a row. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "fake_memory.h"
#include "memory/migrate.h"
#include "platform/memory.h"

enum { NODES = 4, FIRST = 1000, GB = 1 << 30 };

/* What the system is told: the node of each page from FIRST on. */
static int told[600];
static unsigned calls;

static void
tell(const void *start, size_t bytes, int node)
{
	calls++;
	for (uintptr_t i = 0; i < bytes / FAKE_PAGE; i++)
		told[(uintptr_t)start / FAKE_PAGE - FIRST + i] = node;
}

static void
prefer(void *start, size_t bytes, unsigned node)
{
	tell(start, bytes, (int)node);
}

/* As the kernel does it: by the numbers of pages, round the nodes in their order. */
static void
interleave(void *start, size_t bytes, const struct fg_nodes *nodes)
{
	calls++;
	for (uintptr_t page = (uintptr_t)start / FAKE_PAGE, end = page + bytes / FAKE_PAGE; page < end; page++) {
		unsigned node = fg_nodes_next(nodes, 0);
		for (uintptr_t i = page % fg_nodes_count(nodes); i > 0; i--)
			node = fg_nodes_next(nodes, node + 1);
		told[page - FIRST] = (int)node;
	}
}

static struct fg_where where;
static const struct fg_nodes all = {{0xf}};

static int
begin(void **state)
{
	(void)state;
	fake_begin(NODES);
	where = fake_where;
	where.prefer = prefer;
	where.interleave = interleave;
	fg_where = &where;
	for (unsigned i = 0; i < NODES; i++)
		fake.room[i] = GB;
	memset(told, -1, sizeof told);
	calls = 0;
	return 0;
}

static struct fg_plan *
plan_of(enum fg_plan_shape shape, unsigned n, const unsigned *node, const unsigned *weight, size_t pages)
{
	struct fg_plan *plan = fg_plan_new(shape, n);
	assert_non_null(plan);
	for (unsigned i = 0; i < n; i++)
		fg_plan_add(plan, node[i], weight ? weight[i] : 1);
	fg_plan_range(plan, (void *)(uintptr_t)(FIRST * FAKE_PAGE), pages * FAKE_PAGE);
	return plan;
}

/* The system is told of each page what the plan says. Returns the pages of each node. */
static void
told_all(const struct fg_plan *plan, size_t pages, unsigned on[NODES])
{
	memset(on, 0, NODES * sizeof *on);
	fg_plan_wish(plan);
	for (size_t i = 0; i < pages; i++) {
		assert_int_equal(told[i], fg_plan_node(plan, FIRST + i));
		on[told[i]]++;
	}
	assert_int_equal(told[pages], -1);
}

static void
shapes(void **state)
{
	(void)state;
	unsigned on[NODES];
	const unsigned in_order[] = {0, 2, 3}, mixed[] = {3, 0, 1}, weights[] = {1, 4, 2};
	struct fg_plan *plan = plan_of(FG_PLAN_ROUNDS, 3, in_order, NULL, 200);
	told_all(plan, 200, on);
	assert_int_equal(calls, 1); /* the kernel does it */
	assert_in_range(on[0], 66, 67);
	assert_in_range(on[2], 66, 67);
	assert_int_equal(on[1], 0);
	fg_memory_free(plan);
	begin(NULL);
	plan = plan_of(FG_PLAN_ROUNDS, 3, mixed, NULL, 200);
	told_all(plan, 200, on);
	assert_int_equal(calls, 200); /* an order of the program's own */
	fg_memory_free(plan);
	begin(NULL);
	plan = plan_of(FG_PLAN_BLOCKS, 3, mixed, NULL, 200);
	told_all(plan, 200, on);
	assert_int_equal(calls, 3);
	for (unsigned i = 1; i < 200; i++)
		assert_true(told[i] == told[i - 1] || i == 67 || i == 134);
	assert_true(told[0] == 3 && told[199] == 1);
	fg_memory_free(plan);
	begin(NULL);
	plan = plan_of(FG_PLAN_BLOCKS, 3, mixed, NULL, 2); /* fewer pages than nodes */
	told_all(plan, 2, on);
	assert_true(on[3] == 1 && on[0] == 1);
	fg_memory_free(plan);
	begin(NULL);
	plan = plan_of(FG_PLAN_ROUNDS, 3, mixed, weights, 350);
	told_all(plan, 350, on);
	assert_true(on[3] == 50 && on[0] == 200 && on[1] == 100);
	fg_memory_free(plan);
}

/* A large range has few pieces, because the kernel has a mapping for each. */
static void
few_pieces(void **state)
{
	(void)state;
	const unsigned nodes[] = {1, 2}, weights[] = {1, 3};
	for (size_t pages = 1; pages < (size_t)1 << 40; pages = pages * 7 + 3) {
		struct fg_plan *plan = plan_of(FG_PLAN_ROUNDS, 2, nodes, weights, pages);
		assert_in_range(plan->unit, 1, pages);
		assert_true(pages / (plan->unit * plan->weights) <= FG_PLAN_ROUNDS_MOST);
		fg_memory_free(plan);
	}
}

static void
full_nodes(void **state)
{
	(void)state;
	const unsigned two[] = {2}, all_four[] = {0, 1, 2, 3};
	struct fg_plan *plan = plan_of(FG_PLAN_ROUNDS, 1, two, NULL, 100);
	fake.room[2] = 100 * FAKE_PAGE;
	assert_true(fg_plan_fit(plan, &all, NULL, true) && plan->part[0].node == 2 && !plan->tight);
	fake.room[2]--;
	assert_false(fg_plan_fit(plan, &all, NULL, true));
	fake.cache[2] = 1;
	assert_true(fg_plan_fit(plan, &all, NULL, true) && plan->part[0].node == 2 && plan->tight);
	fake.cache[2] = 0;
	plan->tight = false;
	/* Pages that lie there already need no room. */
	assert_true(fg_plan_fit(plan, &all, (size_t[]){0, 0, FAKE_PAGE, 0}, true));
	/* The nearest with room, of those that are allowed. */
	fake.room[3] = 0;
	assert_true(fg_plan_fit(plan, &all, NULL, false) && plan->part[0].node == 1);
	plan->part[0].node = 2;
	assert_true(fg_plan_fit(plan, &(struct fg_nodes){{0xd}}, NULL, false) && plan->part[0].node == 0);
	plan->part[0].node = 2;
	assert_false(fg_plan_fit(plan, &(struct fg_nodes){{0xc}}, NULL, false));
	fg_memory_free(plan);
	/* Two parts on one node need room for both. */
	plan = plan_of(FG_PLAN_BLOCKS, 4, all_four, NULL, 100);
	fake.room[1] = 50 * FAKE_PAGE;
	fake.room[2] = 0;
	assert_true(fg_plan_fit(plan, &all, NULL, false));
	assert_true(plan->part[2].node == 1 && plan->part[3].node == 0);
	fg_memory_free(plan);
	/* Where nothing is known, all is well. */
	where.room = NULL;
	where.distance = NULL;
	plan = plan_of(FG_PLAN_BLOCKS, 4, all_four, NULL, 100);
	assert_true(fg_plan_fit(plan, &all, NULL, true));
	fg_memory_free(plan);
}

static void
migrates(void **state)
{
	(void)state;
	const unsigned two[] = {2}, three[] = {0, 1, 3};
	struct fake_area *area = fake_area_add(FIRST * FAKE_PAGE, 1200, 0);
	area->node[3] = -2;
	area->node[5] = 2;
	area->refuses[7] = true;
	struct fg_plan *plan = plan_of(FG_PLAN_ROUNDS, 1, two, NULL, 1200);
	struct fg_migration done = fg_migration_of(plan);
	assert_true(fg_migrate(plan, &done));
	assert_true(done.moved == 1197 && done.there == 1 && done.absent == 1 && done.refused == 1);
	assert_int_equal(fake.calls, 3);
	assert_true(area->node[3] == -2 && area->node[7] == 0 && area->node[0] == 2 && area->node[1199] == 2);
	done = fg_migration_of(plan); /* again: only the one that refuses is asked for */
	assert_true(fg_migrate(plan, &done) && done.there == 1198 && done.refused == 1);
	assert_int_equal(fake.calls, 4);
	fg_memory_free(plan);
	plan = plan_of(FG_PLAN_BLOCKS, 3, three, NULL, 1200);
	done = fg_migration_of(plan);
	assert_true(fg_migrate(plan, &done) && done.refused == 0); /* page 7 is where it should be */
	assert_true(area->node[0] == 0 && area->node[399] == 0 && area->node[400] == 1 && area->node[1199] == 3);
	fake.moves_nothing = true;
	plan->part[0].node = 2;
	done = fg_migration_of(plan);
	assert_false(fg_migrate(plan, &done));
	fake.says_nothing = true;
	done = fg_migration_of(plan);
	assert_false(fg_migrate(plan, &done));
	fg_memory_free(plan);
}

/* It goes to one node as a whole, and no page counts as refused. */
static void
huge(void **state)
{
	(void)state;
	const unsigned two[] = {2};
	uintptr_t start = (uintptr_t)64 * FAKE_HUGE;
	struct fake_area *area = fake_area_add(start, FAKE_HUGE_PAGES, 1);
	memset(area->huge, 1, FAKE_HUGE_PAGES);
	struct fg_plan *plan = plan_of(FG_PLAN_ROUNDS, 1, two, NULL, 1);
	fg_plan_range(plan, (void *)start, FAKE_HUGE);
	struct fg_migration done = fg_migration_of(plan);
	assert_true(fg_migrate(plan, &done) && done.moved == FAKE_HUGE_PAGES && done.refused == 0);
	fg_memory_free(plan);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(shapes, begin),	   cmocka_unit_test_setup(few_pieces, begin),
		cmocka_unit_test_setup(full_nodes, begin), cmocka_unit_test_setup(migrates, begin),
		cmocka_unit_test_setup(huge, begin),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
