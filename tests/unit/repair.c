/* Repair: what moves, when it pays, and what is left alone. A fake kernel has the pages of mappings of this process. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "fake_memory.h"
#include "samples/mappings.h"
#include "samples/orders.h"
#include "samples/points.h"
#include "samples/repair.h"

enum { MIB = 256 /* pages */, NS = 1000000 /* of CPU time: a sample stands for it */ };
static const double stall = 0.25; /* of repair.c */
/* The prices with which it begins, and those of the fake kernel. */
static const uint64_t call_ns = 100000, page_ns = 2000;
static uint64_t chance = 1;

static unsigned
below(unsigned n)
{
	chance ^= chance << 13;
	chance ^= chance >> 7;
	chance ^= chance << 17;
	return (unsigned)(chance >> 16) % n;
}

static void
begin(unsigned nodes)
{
	fake_begin(nodes);
	fake.page_ns = page_ns;
	fg_orders_after_fork();
	fg_orders_pages(FG_PAGES_SMALL);
	assert_true(fg_points_make());
	fg_points_drop();
}

/* A sample of the node that meets a page of this part of the area. */
static void
sample(const struct fake_area *area, uintptr_t first, uintptr_t n, unsigned user)
{
	uintptr_t page = first + below((unsigned)n);
	fg_point_add((struct fg_point){.address = area->start + page * FAKE_PAGE + below(FAKE_PAGE),
				       .share = 1,
				       .user = (unsigned char)user,
				       .page = area->node[page]});
}

static double
price_of(const struct fg_order *order)
{
	return (double)call_ns + (double)((order->high - order->low) / FAKE_PAGE * page_ns);
}

/* Returns whether pages have moved. */
static bool
carry_out(void)
{
	while (fg_orders_wait()) /* a root gives long orders back */
		fg_orders_carry_out(false);
	return fg_repair_learn();
}

/* All is on node 0, and node 1 uses it. Nothing moves before the loss exceeds the price, and then it moves at once. */
static void
ski_rental(void **state)
{
	(void)state;
	for (uint64_t ns = NS / 4; ns <= 4 * NS; ns *= 4) {
		begin(2);
		struct fake_area *area = fake_mapping_add(64 * MIB, 0);
		unsigned n = 0;
		assert_int_equal(fg_mappings_look(), 1);
		do {
			sample(area, 0, area->pages, 1);
			n++;
		} while (!fg_repair_decide(ns));
		const struct fg_order *order = &fg_orders()[0];
		double each = (double)ns * stall;
		assert_true(n * each > price_of(order));
		assert_true((n - 1) * each <= (double)(call_ns + area->pages * page_ns));
		assert_int_equal(order->node, 1);
		assert_true(order->high - order->low > area->pages * FAKE_PAGE * 9 / 10);
		assert_true(carry_out());
		assert_false(fg_repair_decide(ns));
		for (unsigned i = 0; i < 500; i++)
			sample(area, 0, area->pages, 1);
		assert_false(fg_repair_decide(ns) && fg_orders()[0].low < order->high);
		assert_int_equal(fg_repair_left(), 0);
	}
}

/* Local accesses of another node count against a move. */
static void
others_lose(void **state)
{
	(void)state;
	begin(2);
	struct fake_area *area = fake_mapping_add(64 * MIB, 0);
	unsigned n = 0, loss = 0;
	fg_mappings_look();
	do {
		bool other = n++ % 4 == 0;
		sample(area, 0, area->pages, !other);
		loss += other ? -1u : 1;
	} while (!fg_repair_decide(NS));
	assert_int_equal(fg_orders()[0].node, 1);
	assert_true(loss * NS * stall > price_of(&fg_orders()[0]) * 0.7);
	assert_true(n > 1.7 * loss);
	carry_out();
}

/* Accesses of a third node are remote before and after. */
static void
third_node(void **state)
{
	(void)state;
	begin(4);
	struct fake_area *area = fake_mapping_add(64 * MIB, 0);
	unsigned n = 0, owner = 0;
	fg_mappings_look();
	do {
		bool third = n++ % 5 == 0;
		sample(area, 0, area->pages, third ? 2 : 1);
		owner += !third;
	} while (!fg_repair_decide(NS));
	assert_int_equal(fg_orders()[0].node, 1);
	assert_true(owner * NS * stall > price_of(&fg_orders()[0]) * 0.95);
	carry_out();
}

/* New samples count more than old ones, so a piece goes on to its next user. */
static void
next_user(void **state)
{
	(void)state;
	begin(2);
	struct fake_area *area = fake_mapping_add(8 * MIB, 0);
	fg_mappings_look();
	for (unsigned i = 0; i < 700; i++)
		sample(area, 0, area->pages, 0);
	for (unsigned i = 0; i < 900; i++)
		sample(area, 0, area->pages, 1);
	assert_true(fg_repair_decide(NS));
	assert_int_equal(fg_orders()[0].node, 1);
	carry_out();
}

/* Nothing is remote, or nobody knows where it is. */
static void
nothing_lost(void **state)
{
	(void)state;
	begin(2);
	struct fake_area *area = fake_mapping_add(8 * MIB, 0);
	fg_mappings_look();
	for (unsigned i = 0; i < 3000; i++) {
		sample(area, 0, area->pages, 0);
		if (i % 50 == 0)
			assert_false(fg_repair_decide(100 * NS));
	}
	memset(area->node, NOWHERE, area->pages);
	fg_points_drop();
	for (unsigned i = 0; i < 3000; i++) {
		sample(area, 0, area->pages, 1);
		if (i % 50 == 0)
			assert_false(fg_repair_decide(100 * NS));
	}
	assert_int_equal(fg_repair_left(), 0);
}

/* Two nodes use half of it each: only the half that is on the wrong one moves. */
static void
halves(void **state)
{
	(void)state;
	begin(2);
	struct fake_area *area = fake_mapping_add(32 * MIB, 0);
	fg_mappings_look();
	for (unsigned i = 0; i < 400; i++) {
		sample(area, 0, area->pages / 2, 0);
		sample(area, area->pages / 2, area->pages / 2, 1);
	}
	assert_true(fg_repair_decide(NS));
	uintptr_t middle = area->start + area->pages / 2 * FAKE_PAGE, off = 4 * 32 * MIB / 800 * FAKE_PAGE;
	const struct fg_order *order = &fg_orders()[0];
	assert_int_equal(order->node, 1);
	assert_true(order->low > middle - off && order->low < middle + off);
	assert_int_equal(order->high, area->start + area->pages * FAKE_PAGE);
	assert_true(carry_out());
	assert_int_equal(fg_orders_over(), 0);
	assert_int_equal(area->node[0], 0);
	assert_int_equal(area->node[area->pages / 2 + 100], 1);
}

/* What all nodes use goes round them, if it lies on one. */
static void
shared(void **state)
{
	(void)state;
	begin(4);
	struct fake_area *area = fake_mapping_add(8 * MIB, 2);
	fg_mappings_look();
	for (unsigned i = 0; i < 300; i++) {
		assert_false(i == 60 && fg_repair_decide(100 * NS)); /* these are few to tell */
		sample(area, 0, area->pages, i % 3);
	}
	assert_true(fg_repair_decide(NS));
	assert_int_equal(fg_orders()[0].node, FG_ORDER_SPREAD);
	assert_int_equal(fg_orders()[0].users, 1 << 0 | 1 << 1 | 1 << 2);
	assert_true(carry_out());
	fg_points_drop();
	for (unsigned i = 0; i < 3000; i++) {
		sample(area, 0, area->pages, i % 3);
		if (i % 50 == 0)
			assert_false(fg_repair_decide(NS));
	}
}

/* A mapping that refuses is left alone from then on. Others are not. */
static void
refuses(void **state)
{
	(void)state;
	begin(2);
	struct fake_area *area = fake_mapping_add(8 * MIB, 0);
	memset(area->refuses, true, area->pages);
	assert_int_equal(fg_mappings_look(), 1);
	for (unsigned i = 0; i < 500; i++)
		sample(area, 0, area->pages, 1);
	assert_true(fg_repair_decide(NS));
	assert_false(carry_out());
	assert_true(fg_mapping_of(area->start)->stays);
	struct fake_area *other = fake_mapping_add(8 * MIB, 0);
	assert_int_equal(fg_mappings_look(), 1);
	for (unsigned i = 0; i < 500; i++)
		sample(area, 0, area->pages, 1);
	assert_false(fg_repair_decide(NS));
	for (unsigned i = 0; i < 500; i++)
		sample(other, 0, other->pages, 1);
	assert_true(fg_repair_decide(NS));
	assert_int_equal(fg_orders()[0].low, other->start);
	assert_true(carry_out());
	assert_false(fg_mapping_of(other->start)->stays);
}

/* If only some pages refuse, the mapping is not given up. New samples of these pages must tell first. */
static void
some_refuse(void **state)
{
	(void)state;
	begin(2);
	struct fake_area *area = fake_mapping_add(8 * MIB, 0);
	memset(area->refuses, true, area->pages / 2);
	fg_mappings_look();
	for (unsigned i = 0; i < 500; i++)
		sample(area, 0, area->pages, 1);
	assert_true(fg_repair_decide(NS));
	assert_true(carry_out());
	assert_false(fg_mapping_of(area->start)->stays);
	assert_false(fg_repair_decide(NS));
}

static void
bound(void **state)
{
	(void)state;
	begin(2);
	struct fake_area *area = fake_mapping_add(8 * MIB, 0);
	area->bound = true;
	fg_mappings_look();
	for (unsigned i = 0; i < 1000; i++)
		sample(area, 0, area->pages, 1);
	assert_false(fg_repair_decide(100 * NS));
}

/* Huge pages: pieces end between two of them, but where the mapping ends. */
static void
huge_pages(void **state)
{
	(void)state;
	begin(2);
	fg_orders_pages(FG_PAGES_HUGE);
	struct fake_area *area = fake_mapping_add(64 * MIB + 10, 0);
	fg_mappings_look();
	uintptr_t border = 27 * MIB + 40;
	for (unsigned i = 0; i < 2000; i++) {
		sample(area, 0, border, 1);
		sample(area, border, area->pages - border, 0);
	}
	assert_true(fg_repair_decide(NS));
	assert_int_equal(fg_orders()[0].low, area->start);
	assert_int_equal(fg_orders()[0].high % FAKE_HUGE, 0);
	uintptr_t off = fg_orders()[0].high - (area->start + border * FAKE_PAGE) + FAKE_HUGE;
	assert_true(off < 2 * FAKE_HUGE);
	carry_out();
	fg_points_drop();
	memset(area->node, 1, area->pages);
	for (unsigned i = 0; i < 2000; i++) {
		sample(area, 0, border, 1);
		sample(area, border, area->pages - border, 0);
	}
	assert_true(fg_repair_decide(NS));
	assert_int_equal(fg_orders()[0].low % FAKE_HUGE, 0);
	assert_int_equal(fg_orders()[0].high, area->start + area->pages * FAKE_PAGE);
	carry_out();
}

/* What can still be mended, of what was looked at last. */
static void
left(void **state)
{
	(void)state;
	begin(2);
	assert_int_equal(fg_repair_left(), 0);
	struct fake_area *area = fake_mapping_add(8 * MIB, 0);
	fg_mappings_look();
	for (unsigned i = 0; i < 200; i++)
		sample(area, 0, area->pages, 0);
	assert_false(fg_repair_decide(1));
	assert_int_equal(fg_repair_left(), 0);
	for (unsigned i = 0; i < 800; i++)
		sample(area, 0, area->pages, 1);
	assert_false(fg_repair_decide(1));
	assert_int_equal(fg_repair_left(), 100);
	assert_true(fg_repair_decide(NS));
	assert_true(carry_out());
	assert_int_equal(fg_repair_left(), 0);
}

/* Nothing mends what both nodes use, what has refused, and what the program has bound. Bursts that go on for it would
 * only cost. */
static void
nothing_left(void **state)
{
	(void)state;
	begin(2);
	struct fake_area *area = fake_mapping_add(8 * MIB, 0);
	for (uintptr_t i = 0; i < area->pages; i++)
		area->node[i] = (signed char)(i / 100 % 2);
	fg_mappings_look();
	for (unsigned i = 0; i < 400; i++)
		sample(area, 0, area->pages, i % 2);
	assert_false(fg_repair_decide(NS));
	assert_int_equal(fg_repair_left(), 0);
	memset(area->node, 0, area->pages);
	for (unsigned way = 0; way < 2; way++) {
		fg_mapping(0)->stays = way;
		fg_mapping(0)->bound = !way;
		for (unsigned i = 0; i < 400; i++)
			sample(area, 0, area->pages, 1);
		assert_false(fg_repair_decide(NS));
		assert_int_equal(fg_repair_left(), 0);
	}
}

/* Users that come and go take the pages with them ever more rarely. */
static void
to_and_fro(void **state)
{
	(void)state;
	enum { TURNS = 5 };
	unsigned n[TURNS];
	begin(2);
	struct fake_area *area = fake_mapping_add(64 * MIB, 0);
	for (unsigned turn = 0; turn < TURNS; turn++) {
		fg_points_drop(); /* what was before does not count */
		fg_mappings_look();
		for (n[turn] = 0; !fg_repair_decide(NS); n[turn]++)
			sample(area, 0, area->pages, 1 - turn % 2);
		assert_true(carry_out());
	}
	assert_true(n[2] > 3 * n[0] / 2 && n[TURNS - 1] > 5 * n[0] / 2);
}

/* Where pages cost more than was thought, more must be lost first. This test comes last, because the price stays. */
static void
learns_price(void **state)
{
	(void)state;
	unsigned n[5];
	for (unsigned turn = 0; turn < 5; turn++) {
		begin(2);
		fake.page_ns = 10 * page_ns;
		struct fake_area *area = fake_mapping_add(64 * MIB, 0);
		fg_mappings_look();
		for (n[turn] = 0; !fg_repair_decide(NS); n[turn]++)
			sample(area, 0, area->pages, 1);
		assert_true(carry_out());
	}
	assert_true(n[1] > n[0] && n[1] < 2 * n[0]); /* one order may have met a time when all was slow */
	assert_true(n[4] > 4 * n[0] && n[4] < 11 * n[0]);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ski_rental),  cmocka_unit_test(others_lose), cmocka_unit_test(nothing_lost),
		cmocka_unit_test(halves),      cmocka_unit_test(shared),      cmocka_unit_test(refuses),
		cmocka_unit_test(some_refuse), cmocka_unit_test(bound),	      cmocka_unit_test(huge_pages),
		cmocka_unit_test(to_and_fro),  cmocka_unit_test(left),	      cmocka_unit_test(nothing_left),
		cmocka_unit_test(third_node),  cmocka_unit_test(next_user),   cmocka_unit_test(learns_price),
	};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);
	fake_begin(1);
	return failed;
}
