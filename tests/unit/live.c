/* Unit tests of the tree of live bubbles: which bubble lies below which, the order of their ends, and the states of
 * threads. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "forest/live.h"
#include "forestgomp/sched.h"
#include "sched/world.h"

#include <cmocka.h>

static struct fg_bubble flat[2], nested[3], deep;
static struct fg_entity thread[8];
static struct fg_live_thread notes[8],
	parents[6]; /* `parents`: of the threads that have met the bubbles, in their order */
static struct fg_entity parent[6];
static struct fg_biased_side side;

static unsigned
index_of(const struct fg_bubble *bubble)
{
	return bubble == &deep				    ? 5
	       : bubble < &nested[0] || bubble > &nested[2] ? (unsigned)(bubble - flat)
							    : 2 + (unsigned)(bubble - nested);
}

static struct fg_bubble *
begun(struct fg_bubble *bubble, struct fg_bubble *above, unsigned number, unsigned size)
{
	unsigned i = index_of(bubble);
	*bubble = (struct fg_bubble){.entity.bubble = above, .size = size, .born = 1};
	fg_live_begin(&parents[i], &parent[i], &side, bubble, number);
	return bubble;
}

/* Members 1, 2 and 3 of the first flat bubble have met the nested ones, and member 1 of the second of those the deep
 * one. */
static int
begin(void **state)
{
	(void)state;
	fg_live_after_fork(NULL);
	memset(parents, 0, sizeof parents);
	memset(notes, 0, sizeof notes);
	side = (struct fg_biased_side){0};
	fg_live_add(&side);
	begun(&flat[0], NULL, 0, 4);
	begun(&flat[1], NULL, 0, 2);
	for (unsigned i = 0; i < 3; i++)
		begun(&nested[i], &flat[0], i + 1, 2);
	begun(&deep, &nested[1], 1, 3);
	fgomp_tree_lock();
	return 0;
}

/* The bubble's region ends between two looks. */
static void
end_one(struct fg_bubble *bubble)
{
	fgomp_tree_unlock();
	fg_live_end(&parents[index_of(bubble)], &side, bubble);
	fg_bubble_free(bubble);
	fgomp_tree_lock();
}

static int
end(void **state)
{
	(void)state;
	end_one(&deep);
	for (unsigned i = 0; i < 3; i++)
		end_one(&nested[i]);
	end_one(&flat[1]);
	end_one(&flat[0]);
	assert_null(fgomp_tree_first(NULL));
	fgomp_tree_unlock();
	fg_world = (struct fg_world){0};
	return 0;
}

static bool
is_outermost(const struct fg_bubble *bubble)
{
	const struct fg_bubble *one = fgomp_tree_first(NULL);
	while (one && one != bubble)
		one = fgomp_tree_next(one);
	return one;
}

static void
lie_below_each_other_by_number(void **state)
{
	(void)state;
	assert_true(is_outermost(&flat[0]) && is_outermost(&flat[1]));
	assert_false(is_outermost(&nested[0]) || is_outermost(&deep));
	assert_null(fgomp_tree_first(&flat[1]));
	assert_ptr_equal(fgomp_tree_first(&flat[0]), &nested[0]);
	assert_ptr_equal(fgomp_tree_next(&nested[0]), &nested[1]);
	assert_ptr_equal(fgomp_tree_next(&nested[1]), &nested[2]);
	assert_ptr_equal(fgomp_tree_first(&nested[1]), &deep);
	assert_null(fgomp_tree_next(&nested[2]));
}

static void
end_in_any_order(void **state)
{
	(void)state;
	end_one(&nested[0]);
	end_one(&nested[2]);
	assert_ptr_equal(fgomp_tree_first(&flat[0]), &nested[1]);
	assert_null(fgomp_tree_next(&nested[1]));
	end_one(&deep);
	end_one(&nested[1]);
	assert_null(fgomp_tree_first(&flat[0]));
	end_one(&flat[0]);
	assert_ptr_equal(fgomp_tree_first(NULL), &flat[1]);
	assert_null(fgomp_tree_next(&flat[1]));
	end_one(&flat[1]);
	assert_null(fgomp_tree_first(NULL));
	fgomp_tree_unlock();
}

/* One thread has met the flat bubble, the nested one as its member 0, and the deep one as member 0 of that. */
static void
are_met_one_in_another(void **state)
{
	(void)state;
	fg_live_after_fork(NULL);
	memset(parents, 0, sizeof parents);
	flat[0] = nested[0] = deep = (struct fg_bubble){.size = 2, .born = 1};
	nested[0].entity.bubble = &flat[0];
	deep.entity.bubble = &nested[0];
	fg_live_begin(&parents[0], &parent[0], &side, &flat[0], 0);
	fg_live_begin(&parents[0], &parent[0], &side, &nested[0], 0);
	fg_live_begin(&parents[0], &parent[0], &side, &deep, 0);
	fgomp_tree_lock();
	assert_ptr_equal(fgomp_tree_first(NULL), &flat[0]);
	assert_ptr_equal(fgomp_tree_first(&flat[0]), &nested[0]);
	assert_ptr_equal(fgomp_tree_first(&nested[0]), &deep);
	assert_ptr_equal(fgomp_bubble_thread(&deep, 0), &parent[0]);
	assert_ptr_equal(fgomp_bubble_thread(&flat[0], 0), &parent[0]);
	fgomp_tree_unlock();
	fg_live_end(&parents[0], &side, &deep);
	fgomp_tree_lock();
	assert_null(fgomp_tree_first(&nested[0]));
	assert_ptr_equal(fgomp_tree_first(&flat[0]), &nested[0]);
	fgomp_tree_unlock();
	fg_live_end(&parents[0], &side, &nested[0]);
	fg_live_end(&parents[0], &side, &flat[0]);
	fg_bubble_free(&deep);
	fg_bubble_free(&nested[0]);
	fg_bubble_free(&flat[0]);
}

static void
child_of_a_fork_has_none(void **state)
{
	(void)state;
	fgomp_tree_unlock();
	fg_live_after_fork(&parents[3]);
	for (struct fg_bubble *bubble = &nested[1]; bubble; bubble = bubble->entity.bubble)
		fg_live_forget(bubble);
	fgomp_tree_lock();
	assert_null(fgomp_tree_first(NULL));
	assert_int_equal(fgomp_bubble_size(&nested[1]), 0);
	fgomp_tree_unlock();
	fg_live_end(&parents[3], &side, &nested[1]); /* its end does not touch the tree */
	memset(&parents[5], 0, sizeof parents[5]);
	begun(&deep, &nested[1], 1, 2);
	fgomp_tree_lock();
	assert_ptr_equal(fgomp_tree_first(NULL), &deep);
	end_one(&deep);
	fgomp_tree_unlock();
}

static int
where(const struct fg_entity *one)
{
	return one == &thread[1] ? 5 : -1;
}

static void
know_their_threads(void **state)
{
	(void)state;
	static struct fg_runqueue queue;
	int pu;
	fg_world.where = where;
	fgomp_tree_unlock();
	for (unsigned k = 1; k < 4; k++)
		fg_live_member_begin(&notes[k], &thread[k], &flat[0], k);
	fg_live_member_begin(&notes[4], &thread[4], &deep, 2);
	fg_live_member_begin(&notes[5], &thread[5], &deep, 3); /* too large a number */
	fgomp_tree_lock();
	fg_runqueue_init(&queue, NULL, 0, 1);
	fg_runqueue_push(&queue, &thread[2]);
	assert_int_equal(fgomp_thread_state(&thread[1], &pu), FGOMP_RUNNING);
	assert_int_equal(pu, 5);
	assert_int_equal(fgomp_thread_state(&thread[2], &pu), FGOMP_READY);
	assert_int_equal(fgomp_thread_state(&thread[3], &pu), FGOMP_BLOCKED);
	assert_int_equal(pu, -1);
	assert_ptr_equal(fgomp_bubble_thread(&deep, 2), &thread[4]);
	assert_null(fgomp_bubble_thread(&deep, 3));
	struct fgomp_tree_statistics sum;
	fgomp_tree_statistics(&flat[0], &sum); /* 4 threads, 1 more for each nested bubble, and 2 for the deep one */
	assert_int_equal(sum.bubbles, 5);
	assert_int_equal(sum.threads, 4 + 3 + 2);
	assert_int_equal(sum.running, 1);
	assert_int_equal(sum.ready, 1);
	assert_int_equal(sum.blocked, 3);
	assert_int_equal(sum.absent, 4);
	fgomp_tree_statistics(NULL, &sum);
	assert_int_equal(sum.bubbles, 6);
	assert_int_equal(sum.threads, 4 + 2 + 3 + 2);
	fg_store_relaxed(&thread[3].sent, &queue);
	fgomp_tree_unlock();
	fg_live_member_end(&notes[3], &thread[3]);
	fgomp_tree_lock();
	assert_null(fgomp_bubble_thread(&flat[0], 3));
	assert_false(fgomp_bubble_member_over(&flat[0], 3)); /* born == 1: it counts as one that has not begun */
	flat[0].born = 4;
	assert_true(fgomp_bubble_member_over(&flat[0], 3));
	assert_null(fgomp_thread_level(&thread[3]));
}

static bool
no(const struct fg_entity *one)
{
	return one != &thread[6];
}

static void
send_what_may_move(void **state)
{
	(void)state;
	static struct fg_runqueue from, to;
	fg_world.may_move = no;
	fg_runqueue_init(&from, NULL, 0, 1);
	fg_runqueue_init(&to, NULL, 1, 1);
	assert_false(fgomp_thread_send(&thread[6], &to));
	deep.entity.kind = FG_ENTITY_BUBBLE;
	assert_false(fgomp_thread_send(&deep.entity, &to));
	thread[7] = (struct fg_entity){.kind = FG_ENTITY_THREAD};
	fg_runqueue_push(&from, &thread[7]);
	assert_true(fgomp_thread_send(&thread[7], &to)); /* it is ready */
	assert_true(fg_runqueue_has_work(&to) && !fg_runqueue_has_work(&from));
	struct fg_claim claim = {0};
	assert_true(fg_runqueue_claim(&to, FG_NEWEST, false, &claim) && claim.thread == &thread[7]);
	assert_true(fgomp_thread_send(&thread[7], &from)); /* it runs, or is blocked */
	assert_ptr_equal(fgomp_thread_level(&thread[7]), &from);
	assert_false(fg_runqueue_has_work(&from));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(lie_below_each_other_by_number, begin, end),
		cmocka_unit_test_setup(end_in_any_order, begin),
		cmocka_unit_test(are_met_one_in_another),
		cmocka_unit_test_setup(child_of_a_fork_has_none, begin),
		cmocka_unit_test_setup_teardown(know_their_threads, begin, end),
		cmocka_unit_test_setup_teardown(send_what_may_move, begin, end),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
