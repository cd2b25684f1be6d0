/* Unit tests of families: the count of children that are not complete, the last child after the end of the body, the
 * lifetime of a family, and its descendants. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "team/tasks/family.h"

#include <cmocka.h>

static struct fg_store store;

static struct fg_family *
family_new(struct fg_family *around)
{
	struct fg_family *family = fg_store_get(&store, FG_BLOCK_FAMILY, sizeof *family);
	assert_non_null(family);
	fg_family_init(family, around, NULL);
	return family;
}

static unsigned
free_families(void)
{
	return store.count[FG_BLOCK_FAMILY];
}

static int
end(void **state)
{
	(void)state;
	fg_store_clear(&store);
	return 0;
}

static void
counts_while_the_body_runs(void **state)
{
	(void)state;
	struct fg_family *family = family_new(NULL);
	assert_true(fg_family_over(family));
	assert_int_equal(fg_family_count(family), 0);
	family->pending = 5;
	for (unsigned left = 5; left > 0; left--) {
		assert_int_equal(fg_family_count(family), left);
		assert_false(fg_family_over(family));
		/* The body runs, so no child is the last. The owner counts in `pending`, the others in `remote`. */
		uint32_t pending = family->pending, remote = fg_load_relaxed(&family->remote);
		assert_false(fg_family_leave(family, left % 2));
		assert_int_equal(family->pending, pending - left % 2);
		assert_int_equal(fg_load_relaxed(&family->remote), remote + !(left % 2));
	}
	assert_int_equal(fg_family_count(family), 0);
	assert_true(fg_family_over(family));
	family->pending++;
	assert_false(fg_family_over(family));
	assert_false(fg_family_leave(family, true));
	assert_true(fg_family_end(family));
}

/* Of `children`, some complete before the body ends, and the rest after it. The very last one tells so. */
static void
leave_all(unsigned children, unsigned by_owner, unsigned by_others, bool owner_later)
{
	struct fg_family *family = family_new(NULL);
	family->pending = children;
	for (unsigned i = 0; i < by_owner; i++)
		assert_false(fg_family_leave(family, true));
	for (unsigned i = 0; i < by_others; i++)
		assert_false(fg_family_leave(family, false));
	unsigned left = children - by_owner - by_others;
	assert_int_equal(fg_family_count(family), left);
	assert_int_equal(fg_family_end(family), left == 0);
	for (; left > 0; left--)
		assert_int_equal(fg_family_leave(family, owner_later), left == 1);
	unsigned before = free_families();
	fg_family_release(family, &store);
	assert_int_equal(free_families(), before + 1);
}

static void
tells_the_last_after_the_end(void **state)
{
	(void)state;
	for (unsigned by_owner = 0; by_owner <= 4; by_owner++)
		for (unsigned by_others = 0; by_owner + by_others <= 4; by_others++) {
			leave_all(4, by_owner, by_others, true);
			leave_all(4, by_owner, by_others, false);
		}
}

/* A task ends before its child. Its family keeps the one around, until the child is complete. */
static void
keeps_the_family_around(void **state)
{
	(void)state;
	struct fg_family *outer = family_new(NULL), *inner = family_new(outer);
	unsigned before = free_families();
	outer->pending = inner->pending = 1;
	assert_false(fg_family_end(inner));
	assert_false(fg_family_leave(outer, true));
	assert_true(fg_family_over(outer));
	assert_true(fg_family_end(outer));
	fg_family_release(outer, &store);
	assert_int_equal(free_families(), before);
	assert_true(fg_family_descends(inner, outer));
	assert_true(fg_family_leave(inner, false));
	fg_family_release(inner, &store);
	assert_int_equal(free_families(), before + 2);
}

/* A family whose children are complete at the end takes no reference. */
static void
frees_only_itself(void **state)
{
	(void)state;
	struct fg_family *outer = family_new(NULL), *inner = family_new(outer);
	unsigned before = free_families();
	outer->pending = 1;
	assert_true(fg_family_end(inner));
	assert_int_equal(fg_load_relaxed(&outer->references), 1);
	fg_family_release(inner, &store);
	assert_int_equal(free_families(), before + 1);
	assert_int_equal(fg_load_relaxed(&outer->references), 1);
	assert_false(fg_family_leave(outer, false));
	assert_true(fg_family_end(outer));
	fg_family_release(outer, &store);
	assert_int_equal(free_families(), before + 2);
}

static void
knows_its_descendants(void **state)
{
	(void)state;
	struct fg_family *root = family_new(NULL), *other = family_new(NULL);
	struct fg_family *child = family_new(root), *grandchild = family_new(child), *sibling = family_new(root);
	assert_int_equal(fg_load_relaxed(&root->depth), 0);
	assert_int_equal(fg_load_relaxed(&grandchild->depth), 2);
	struct fg_family *down[] = {root, child, grandchild};
	for (unsigned i = 0; i < 3; i++)
		for (unsigned k = 0; k < 3; k++) {
			assert_int_equal(fg_family_descends(down[i], down[k]), i >= k);
			assert_int_equal(fg_family_may_run(down[i], down[k]), i >= k);
		}
	assert_true(fg_family_descends(sibling, root));
	assert_false(fg_family_descends(sibling, child));
	assert_false(fg_family_descends(grandchild, sibling));
	assert_false(fg_family_descends(grandchild, other));
	assert_false(fg_family_may_run(grandchild, other));
	assert_true(fg_family_may_run(grandchild, NULL));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(counts_while_the_body_runs, end),
		cmocka_unit_test_teardown(tells_the_last_after_the_end, end),
		cmocka_unit_test_teardown(keeps_the_family_around, end),
		cmocka_unit_test_teardown(frees_only_itself, end),
		cmocka_unit_test_teardown(knows_its_descendants, end),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
