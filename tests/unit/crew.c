/* Unit tests of a crew's list: a made-up crew of four members on one worker. Each step is checked against the crew's
 * invariant. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "exec/loop/crew.h"
#include "exec/thread/whole_worker.h"
#include "exec/thread/worker_parts.h"

#include <cmocka.h>

#define MEMBERS 4

static struct fg_whole_worker whole;
static struct fg_crew *const crew = &whole.worker.crew;
static struct fg_identity member[MEMBERS];

static void
counts(unsigned waiting, unsigned arrived, unsigned lent, unsigned out)
{
	assert_int_equal(fg_load_relaxed(&crew->waiting), waiting);
	assert_int_equal(crew->arrived, arrived);
	assert_int_equal(crew->lent, lent);
	assert_int_equal(crew->out, out);
	assert_true(arrived + lent + waiting <= MEMBERS && out <= arrived);
	assert_true(fg_crew_holds(crew));
}

/* A phase begins: member 0 runs, the others wait. */
static int
begin(void **state)
{
	(void)state;
	memset(&whole, 0, sizeof whole);
	memset(member, 0, sizeof member);
	for (unsigned i = 0; i < MEMBERS; i++) {
		member[i].worker = member[i].crew_of = &whole.worker;
		member[i].member = i;
		member[i].in_crew.next = &member[(i + 1) % MEMBERS];
	}
	fg_self_pointer = &member[0];
	crew->count = MEMBERS;
	crew->next = &member[1];
	fg_store_relaxed(&crew->waiting, MEMBERS - 1);
	counts(MEMBERS - 1, 0, 0, 0);
	return 0;
}

static void
arrive(unsigned i)
{
	crew->arrived++;
	fg_crew_idle(crew, &member[i]);
	assert_true(fg_crew_holds(crew));
}

static void
take_all(void)
{
	for (unsigned i = fg_load_relaxed(&crew->waiting); i > 0; i--)
		assert_non_null(fg_crew_take(crew));
	assert_int_equal(fg_load_relaxed(&crew->waiting), 0);
}

/* Returns the number of the member that was called. */
static unsigned
recall(void)
{
	assert_true(fg_crew_idles(&whole.worker));
	struct fg_identity *called = fg_crew_recall(&whole.worker);
	assert_non_null(called);
	assert_true(called->in_crew.recalled);
	assert_true(fg_crew_holds(crew));
	called->in_crew.recalled = false;
	return (unsigned)(called - member);
}

static void
tells_a_broken_invariant(void **state)
{
	(void)state;
	crew->arrived = 1;
	assert_true(fg_crew_holds(crew));
	crew->lent = 1;
	assert_false(fg_crew_holds(crew));
	crew->lent = 0;
	fg_store_relaxed(&crew->waiting, MEMBERS);
	assert_false(fg_crew_holds(crew));
	fg_store_relaxed(&crew->waiting, 0);
	crew->out = 1;
	assert_true(fg_crew_holds(crew));
	crew->out = 2;
	assert_false(fg_crew_holds(crew));
}

static void
takes_each_once_in_order(void **state)
{
	(void)state;
	for (unsigned i = 1; i < MEMBERS; i++) {
		assert_true(fg_crew_may_lend(&whole.worker));
		assert_ptr_equal(fg_crew_take(crew), &member[i]);
		counts(MEMBERS - 1 - i, 0, 0, 0);
	}
	assert_false(fg_crew_may_lend(&whole.worker));
	assert_null(fg_crew_take(crew));
	counts(0, 0, 0, 0);
	fg_store_relaxed(&whole.worker.pinned.count, 1);
	assert_true(fg_crew_may_lend(&whole.worker));
}

/* A member that is called before all have arrived does not count as arrived until it arrives again. */
static void
recalls_before_all_arrived(void **state)
{
	(void)state;
	assert_false(fg_crew_idles(&whole.worker));
	assert_ptr_equal(fg_crew_take(crew), &member[1]);
	arrive(1);
	counts(2, 1, 0, 0);
	assert_int_equal(recall(), 1);
	counts(2, 0, 0, 0);
	assert_false(fg_crew_idles(&whole.worker));
	assert_false(fg_crew_back(crew, &member[1]));
	arrive(1);
	take_all();
	arrive(2);
	arrive(3);
	counts(0, 3, 0, 0);
	assert_true(fg_crew_idles(&whole.worker));
	arrive(0);
	counts(0, 4, 0, 0);
	assert_false(fg_crew_idles(&whole.worker)); /* all have arrived, and none leads */
}

/* Any member may lead, wherever it lies among the idlers. It is not called itself. The others are, each once. */
static void
leads(void **state)
{
	for (unsigned leader = 0; leader < MEMBERS; leader++) {
		begin(state);
		take_all();
		for (unsigned i = 0; i < MEMBERS; i++)
			arrive(i);
		fg_crew_lead(&member[leader]);
		counts(0, 4, 0, 0);
		unsigned called = 0;
		for (unsigned i = 1; i < MEMBERS; i++) {
			called |= 1u << recall();
			counts(0, 4, 0, i);
		}
		assert_int_equal(called, 0xf & ~(1u << leader));
		assert_false(fg_crew_idles(&whole.worker));
		for (unsigned i = 0, out = MEMBERS - 1; i < MEMBERS; i++)
			if (i != leader) {
				assert_true(fg_crew_back(crew, &member[i]));
				fg_crew_idle(crew, &member[i]);
				counts(0, 4, 0, --out);
			}
		assert_true(fg_crew_idles(&whole.worker));
		assert_false(fg_crew_back(crew, &member[leader]));
		fg_crew_lead_end(&member[leader]);
		counts(0, 4, 0, 0);
		assert_false(fg_crew_idles(&whole.worker));
	}
}

/* The last to arrive leads without being among the idlers. All of them stay. */
static void
leads_as_the_last(void **state)
{
	(void)state;
	take_all();
	for (unsigned i = 1; i < MEMBERS; i++)
		arrive(i);
	crew->arrived++;
	fg_crew_lead(&member[0]);
	unsigned called = 0;
	for (unsigned i = 1; i < MEMBERS; i++)
		called |= 1u << recall();
	assert_int_equal(called, 0xe);
	counts(0, 4, 0, 3);
}

/* Two members are lent. Those that have returned count as arrived from the first look on. */
static void
counts_the_lent_that_returned(void **state)
{
	(void)state;
	for (unsigned i = 1; i <= 2; i++) {
		assert_ptr_equal(fg_crew_take(crew), &member[i]);
		member[i].in_crew.lent = true;
		crew->lent++;
	}
	counts(1, 0, 2, 0);
	assert_ptr_equal(fg_crew_take(crew), &member[3]);
	arrive(3);
	arrive(0);
	counts(0, 2, 2, 0);
	assert_false(fg_crew_idles(&whole.worker));

	fg_crew_lead(&member[0]);
	assert_int_equal(recall(), 3);
	assert_false(fg_crew_back(crew, &member[1])); /* another crew called it */
	counts(0, 2, 2, 1);
	assert_false(fg_crew_idles(&whole.worker));
	member[1].in_crew.lent = member[2].in_crew.lent = false;
	member[1].next = &member[2];
	member[2].next = NULL;
	fg_store_relaxed(&fg_parts(&whole.worker)->lend.returned, 2);
	fg_store_relaxed(&fg_parts(&whole.worker)->lend.returned_first, &member[1]);
	unsigned called = 1u << recall();
	counts(0, 4, 0, 2);
	assert_int_equal(fg_load_relaxed(&fg_parts(&whole.worker)->lend.returned), 0);
	assert_null(fg_load_relaxed(&fg_parts(&whole.worker)->lend.returned_first));
	called |= 1u << recall();
	assert_int_equal(called, 0x6);
	counts(0, 4, 0, 3);
	assert_false(fg_crew_idles(&whole.worker));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(tells_a_broken_invariant, begin),
		cmocka_unit_test_setup(takes_each_once_in_order, begin),
		cmocka_unit_test_setup(recalls_before_all_arrived, begin),
		cmocka_unit_test_setup(leads, begin),
		cmocka_unit_test_setup(leads_as_the_last, begin),
		cmocka_unit_test_setup(counts_the_lent_that_returned, begin),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
