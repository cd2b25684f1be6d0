/* Unit tests of presence: the way of a thread from team to team outwards, and its end where a team may lie on a
 * stack. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "stuck/presence.h"

#include <cmocka.h>

static struct fg_team outer, inner;
static struct fg_identity primary, member;

/* A region of 4. Its member 2 has met a region of 3, of which `member` is number 1. */
static int
begin(void **state)
{
	(void)state;
	fg_library = &fg_stuck_library;
	fg_store_relaxed(&fg_teams.on_stacks, 0);
	outer = (struct fg_team){.size = 4, .primary = &primary};
	inner = (struct fg_team){.size = 3, .primary = &primary, .outer = &outer, .saved.num = 2};
	primary = (struct fg_identity){.thread.team = &inner};
	member = (struct fg_identity){.thread = {.team = &inner, .num = 1}};
	return 0;
}

static void
leads_outwards(void **state)
{
	struct fg_presence presence;
	(void)state;
	assert_true(fg_presence_first(&member, &presence));
	assert_ptr_equal(presence.team, &inner);
	assert_null(presence.inner);
	assert_int_equal(presence.number, 1);
	assert_true(fg_presence_around(&presence));
	assert_ptr_equal(presence.team, &outer);
	assert_ptr_equal(presence.inner, &inner);
	assert_int_equal(presence.number, 2);
	assert_false(fg_presence_around(&presence));
}

static void
ends_with_the_region(void **state)
{
	struct fg_presence presence;
	(void)state;
	primary.thread.team = &outer;
	assert_false(fg_presence_first(&member, &presence));
}

static void
reads_no_team_that_may_lie_on_a_stack(void **state)
{
	struct fg_presence presence;
	(void)state;
	assert_true(fg_presence_first(&member, &presence));
	fg_store_relaxed(&fg_teams.on_stacks, 1);
	inner.outer = (struct fg_team *)1; /* to read this would end the test */
	assert_false(fg_presence_around(&presence));
	member.thread.team = (struct fg_team *)1;
	assert_false(fg_presence_first(&member, &presence));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(leads_outwards, begin),
		cmocka_unit_test_setup(ends_with_the_region, begin),
		cmocka_unit_test_setup(reads_no_team_that_may_lie_on_a_stack, begin),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
