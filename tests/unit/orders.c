/* Orders: small and huge pages, pages that are nowhere or refuse, and the counts of what came of an order. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "fake_memory.h"
#include "samples/orders.h"

static const uintptr_t base = (uintptr_t)3 << 30;

static struct fg_order *
carry_out(uintptr_t low, uintptr_t high, int node, uint64_t users)
{
	fg_orders()[0] = (struct fg_order){.low = low, .high = high, .node = node, .users = users};
	assert_int_equal(fg_orders_over(), 0);
	unsigned asked = fake.roots_asked;
	fg_orders_give(1);
	assert_int_equal(fake.roots_asked, asked + 1);
	assert_true(fg_orders_wait());
	assert_int_equal(fg_orders_over(), 0);
	fg_orders_carry_out(false);
	assert_false(fg_orders_wait());
	assert_int_equal(fg_orders_over(), 1);
	assert_int_equal(fg_orders_over(), 0);
	return &fg_orders()[0];
}

static unsigned
pages_on(const struct fake_area *area, int node)
{
	unsigned n = 0;
	for (uintptr_t i = 0; i < area->pages; i++)
		n += area->node[i] == node;
	return n;
}

static void
check_counts(const struct fg_order *order, unsigned moved, unsigned there, unsigned refused)
{
	assert_int_equal(order->moved, moved);
	assert_int_equal(order->there, there);
	assert_int_equal(order->refused, refused);
}

static void
small_pages(void **state)
{
	(void)state;
	fake_begin(4);
	fg_orders_pages(FG_PAGES_SMALL);
	fake.page_ns = 10;
	struct fake_area *area = fake_area_add(base, 2000, 1);
	memset(area->node + 100, 2, 50);
	memset(area->node + 200, NOWHERE, 30);
	memset(area->refuses + 300, true, 7);
	/* Parts of pages count as whole. */
	struct fg_order *order = carry_out(base + 5, base + 1500 * FAKE_PAGE - 5, 2, 0);
	check_counts(order, 1500 - 50 - 30 - 7, 50, 7);
	assert_int_equal(order->took_ns, order->moved * fake.page_ns);
	assert_int_equal(pages_on(area, 2), 1500 - 30 - 7);
	check_counts(carry_out(base, base + 1500 * FAKE_PAGE, 2, 0), 0, 1500 - 30 - 7, 7);
	check_counts(carry_out(base + 200 * FAKE_PAGE, base + 230 * FAKE_PAGE, 2, 0), 0, 0, 0);
}

static void
spread(void **state)
{
	static const int user[] = {1, 5, 7};
	(void)state;
	fake_begin(8);
	fg_orders_pages(FG_PAGES_SMALL);
	struct fake_area *area = fake_area_add(base, 3000, 5);
	struct fg_order *order = carry_out(base, base + 3000 * FAKE_PAGE, FG_ORDER_SPREAD, 1 << 1 | 1 << 5 | 1 << 7);
	check_counts(order, 2000, 1000, 0);
	for (uintptr_t i = 0; i < 3000; i++)
		assert_true(area->node[i] == user[(base / FAKE_PAGE + i) % 3]);
}

static void
make_huge(struct fake_area *area, unsigned first, unsigned n)
{
	memset(area->huge + first * FAKE_HUGE_PAGES, true, (size_t)n * FAKE_HUGE_PAGES);
}

/* Each huge page moves at one address. */
static void
huge_pages(void **state)
{
	(void)state;
	fake_begin(4);
	fg_orders_pages(FG_PAGES_HUGE);
	struct fake_area *area = fake_area_add(base, 20 * FAKE_HUGE_PAGES, 1);
	make_huge(area, 0, 20);
	memset(area->node + 4 * FAKE_HUGE_PAGES, 3, 2 * FAKE_HUGE_PAGES);
	memset(area->node + 7 * FAKE_HUGE_PAGES, NOWHERE, FAKE_HUGE_PAGES);
	memset(area->refuses + 9 * FAKE_HUGE_PAGES, true, FAKE_HUGE_PAGES);
	struct fg_order *order = carry_out(base, base + 20 * FAKE_HUGE, 3, 0);
	check_counts(order, 16 * FAKE_HUGE_PAGES, 2 * FAKE_HUGE_PAGES, FAKE_HUGE_PAGES);
	assert_int_equal(pages_on(area, 3), 18 * FAKE_HUGE_PAGES);
}

/* Huge pages may come, but there are only small ones. */
static void
not_huge(void **state)
{
	(void)state;
	fake_begin(4);
	fg_orders_pages(FG_PAGES_HUGE);
	struct fake_area *area = fake_area_add(base, 5 * FAKE_HUGE_PAGES, 1);
	memset(area->node + 10, 3, 600);
	struct fg_order *order = carry_out(base + FAKE_PAGE, base + 5 * FAKE_HUGE, 3, 0);
	check_counts(order, 5 * FAKE_HUGE_PAGES - 1 - 600, 600, 0);
	assert_int_equal(pages_on(area, 3), 5 * FAKE_HUGE_PAGES - 1);
}

/* Few mappings begin and end between huge pages: there are small ones before the first and behind the last. */
static void
huge_with_edges(void **state)
{
	(void)state;
	for (unsigned edge = 1; edge < FAKE_HUGE_PAGES; edge += 170) {
		fake_begin(4);
		fg_orders_pages(FG_PAGES_HUGE);
		uintptr_t start = base + FAKE_HUGE - edge * FAKE_PAGE, pages = 8 * FAKE_HUGE_PAGES + 2 * edge;
		struct fake_area *area = fake_area_add(start, pages, 0);
		memset(area->huge + edge, true, 8 * FAKE_HUGE_PAGES);
		check_counts(carry_out(start, start + pages * FAKE_PAGE, 2, 0), (unsigned)pages, 0, 0);
		assert_int_equal(pages_on(area, 2), pages);
	}
}

/* Some pages of an order are huge, others small. */
static void
huge_and_small(void **state)
{
	(void)state;
	fake_begin(4);
	fg_orders_pages(FG_PAGES_HUGE);
	struct fake_area *area = fake_area_add(base, 10 * FAKE_HUGE_PAGES, 0);
	make_huge(area, 2, 4);
	memset(area->node + 8 * FAKE_HUGE_PAGES, 2, FAKE_HUGE_PAGES);
	struct fg_order *order = carry_out(base, base + 10 * FAKE_HUGE, 2, 0);
	check_counts(order, 9 * FAKE_HUGE_PAGES, FAKE_HUGE_PAGES, 0);
	assert_int_equal(pages_on(area, 2), 10 * FAKE_HUGE_PAGES);
}

/* A huge page goes as a whole round the nodes, too. */
static void
huge_spread(void **state)
{
	(void)state;
	fake_begin(4);
	fg_orders_pages(FG_PAGES_HUGE);
	struct fake_area *area = fake_area_add(base, 12 * FAKE_HUGE_PAGES, 0);
	make_huge(area, 0, 12);
	struct fg_order *order = carry_out(base, base + 12 * FAKE_HUGE, FG_ORDER_SPREAD, 1 << 0 | 1 << 2 | 1 << 3);
	check_counts(order, 8 * FAKE_HUGE_PAGES, 4 * FAKE_HUGE_PAGES, 0);
	for (int node = 0; node < 4; node++)
		assert_int_equal(pages_on(area, node), node == 1 ? 0 : 4 * FAKE_HUGE_PAGES);
}

static const struct fg_where cannot_move = {.nodes = fake_nodes, .ask = fake_ask};

static void
system_refuses(void **state)
{
	(void)state;
	fake_begin(2);
	fg_orders_pages(FG_PAGES_SMALL);
	struct fake_area *area = fake_area_add(base, 600, 0);
	area->node[3] = 1;
	fake.moves_nothing = true;
	check_counts(carry_out(base, base + 600 * FAKE_PAGE, 1, 0), 0, 1, 599);
	fake.moves_nothing = false;
	fake_library.where = &cannot_move;
	check_counts(carry_out(base, base + 600 * FAKE_PAGE, 1, 0), 0, 1, 599);
	fake_library.where = &fake_where;
	fake.says_nothing = true;
	check_counts(carry_out(base, base + 600 * FAKE_PAGE, 1, 0), 0, 0, 0);
	assert_int_equal(pages_on(area, 1), 1);
}

/* Where all pages of 16 MiB stay, nothing else of the order is tried: a device may hold the memory. */
static void
all_refuse(void **state)
{
	enum { SLICE = 4096 };
	(void)state;
	for (int huge = 0; huge < 2; huge++) {
		fake_begin(2);
		fg_orders_pages(huge ? FG_PAGES_HUGE : FG_PAGES_SMALL);
		struct fake_area *area = fake_area_add(base, 4 * SLICE, 0);
		memset(area->refuses + SLICE, true, SLICE);
		struct fg_order *order = carry_out(base, base + 4 * SLICE * FAKE_PAGE, 1, 0);
		check_counts(order, SLICE, 0, SLICE);
		assert_int_equal(pages_on(area, 0), 3 * SLICE);
	}
}

/* Clean pages of files count as room. A node without any gets nothing, and of several, the others share it. */
static void
full_node(void **state)
{
	enum { SLICE = 4096 };
	(void)state;
	fake_begin(3);
	fg_orders_pages(FG_PAGES_SMALL);
	struct fake_area *area = fake_area_add(base, 2 * SLICE, 0);
	fake.room[1] = SLICE * FAKE_PAGE - 1;
	unsigned calls = fake.calls;
	check_counts(carry_out(base, base + 2 * SLICE * FAKE_PAGE, 1, 0), 0, 0, 0);
	assert_int_equal(fg_orders()->no_room, 2 * SLICE);
	check_counts(carry_out(base, base + 2 * SLICE * FAKE_PAGE, FG_ORDER_SPREAD, 6), 0, 0, 0);
	assert_int_equal(fake.calls, calls);
	check_counts(carry_out(base, base + SLICE * FAKE_PAGE, FG_ORDER_SPREAD, 7), SLICE / 2, SLICE / 2, 0);
	check_counts(carry_out(base, base + SLICE * FAKE_PAGE, 0, 0), SLICE / 2, SLICE / 2, 0);
	fake.cache[1] = 1;
	check_counts(carry_out(base, base + 2 * SLICE * FAKE_PAGE, 1, 0), 2 * SLICE, 0, 0);
	assert_int_equal(pages_on(area, 1), 2 * SLICE);
}

static struct fake_area *bound_soon;
static bool
move_and_bind(unsigned n, void *const *pages, const int *to, int *node)
{
	bound_soon->bound = true;
	return fake_move(n, pages, to, node);
}

/* One page that another process shares says nothing of the rest. */
static void
one_refuses(void **state)
{
	enum { SLICE = 4096 };
	(void)state;
	fake_begin(2);
	fg_orders_pages(FG_PAGES_SMALL);
	struct fake_area *area = fake_area_add(base, 2 * SLICE, 0);
	memset(area->node, 1, SLICE);
	area->node[7] = 0;
	area->refuses[7] = true;
	check_counts(carry_out(base, base + 2 * SLICE * FAKE_PAGE, 1, 0), SLICE, SLICE - 1, 1);
}

/* Where some pages may be huge, pieces go round the nodes by 2 MiB, and small ones move one by one. */
static void
some_huge(void **state)
{
	(void)state;
	fake_begin(2);
	fg_orders_pages(FG_PAGES_SOME_HUGE);
	struct fake_area *area = fake_area_add(base, 4 * FAKE_HUGE_PAGES, 0);
	carry_out(base, base + 4 * FAKE_HUGE, FG_ORDER_SPREAD, 3);
	for (uintptr_t page = 0; page < area->pages; page++)
		assert_true(area->node[page] == (signed char)((base / FAKE_HUGE + page / FAKE_HUGE_PAGES) % 2));
}

/* The program tells where its memory must lie while an order is carried out: what has not been moved yet stays. */
static void
bound_meanwhile(void **state)
{
	(void)state;
	struct fg_where binds = fake_where;
	binds.move = move_and_bind;
	fake_begin(2);
	fg_orders_pages(FG_PAGES_SMALL);
	bound_soon = fake_area_add(base, 2000, 0);
	fake_library.where = &binds;
	check_counts(carry_out(base, base + 2000 * FAKE_PAGE, 1, 0), 512, 0, 0);
	fake_library.where = &fake_where;
	assert_int_equal(pages_on(bound_soon, 1), 512);
}

/* The program has unmapped both ends: what is left goes. */
static void
holes_at_ends(void **state)
{
	(void)state;
	for (int huge = 0; huge < 2; huge++) {
		fake_begin(2);
		fg_orders_pages(huge ? FG_PAGES_HUGE : FG_PAGES_SMALL);
		struct fake_area *area = fake_area_add(base + 300 * FAKE_PAGE, 1200, 0);
		check_counts(carry_out(base, base + 2000 * FAKE_PAGE, 1, 0), 1200, 0, 0);
		assert_int_equal(pages_on(area, 1), 1200);
	}
}

/* Nothing is done twice. The child of a fork has no orders. */
static void
once(void **state)
{
	(void)state;
	fake_begin(2);
	fake_area_add(base, 600, 0);
	unsigned calls = fake.calls;
	fg_orders_carry_out(false);
	assert_int_equal(fake.calls, calls);
	fg_orders()[0] = (struct fg_order){.low = base, .high = base + FAKE_PAGE, .node = 1};
	fg_orders_give(1);
	fg_orders_carry_out(true);
	assert_int_equal(fake.calls, calls + 1);
	fg_orders_carry_out(false);
	assert_int_equal(fake.calls, calls + 1);
	assert_int_equal(fg_orders_over(), 1);
	fg_orders_give(1);
	fg_orders_after_fork();
	assert_false(fg_orders_wait());
	fg_orders_carry_out(false);
	assert_int_equal(fake.calls, calls + 1);
	assert_int_equal(fg_orders_over(), 0);
}

/* A taker gives back what would take too long, and nobody takes it again. What was moved counts, the rest does not. */
static void
given_back_and_dropped(void **state)
{
	enum { SLICE = 8 * FAKE_HUGE_PAGES };
	(void)state;
	fake_begin(2);
	fg_orders_pages(FG_PAGES_SMALL);
	fake.page_ns = FG_ORDERS_NS / SLICE + 1;
	fake_area_add(base, 3 * SLICE, 0);
	for (unsigned i = 0; i < 2; i++)
		fg_orders()[i] = (struct fg_order){.low = base + i * 2 * SLICE * FAKE_PAGE,
						   .high = base + (i ? 3 : 2) * SLICE * FAKE_PAGE,
						   .node = 1};
	fg_orders_give(2);
	fg_orders_drop();
	assert_int_equal(fg_orders_over(), 0);
	fg_orders_give(2);
	fg_orders_carry_out(false);
	assert_true(fg_orders_wait());
	fg_orders_drop();
	assert_false(fg_orders_wait());
	assert_int_equal(fg_orders_over(), 1);
	check_counts(&fg_orders()[0], SLICE, 0, 0);
	assert_int_equal(fg_orders_over(), 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(small_pages),
		cmocka_unit_test(spread),
		cmocka_unit_test(huge_pages),
		cmocka_unit_test(not_huge),
		cmocka_unit_test(huge_with_edges),
		cmocka_unit_test(huge_and_small),
		cmocka_unit_test(huge_spread),
		cmocka_unit_test(system_refuses),
		cmocka_unit_test(all_refuse),
		cmocka_unit_test(full_node),
		cmocka_unit_test(one_refuses),
		cmocka_unit_test(some_huge),
		cmocka_unit_test(bound_meanwhile),
		cmocka_unit_test(holes_at_ends),
		cmocka_unit_test(once),
		cmocka_unit_test(given_back_and_dropped),
	};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);
	fake_begin(1);
	return failed;
}
