/* Unit tests of the tree of live bubbles: which bubble lies below which, the order of their ends, and the states of threads. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "forest/live.h"
#include "forestgomp/sched.h"
#include "sched/world.h"

#include <cmocka.h>

static struct fg_bubble flat[2], nested[3], deep;
static struct fg_entity thread[8];

static struct fg_bubble *
begun(struct fg_bubble *bubble, struct fg_bubble *above, unsigned size)
{
	*bubble = (struct fg_bubble){.entity.bubble = above};
	fg_live_begin(bubble, size);
	return bubble;
}

static int
begin(void **state)
{
	(void)state;
	fg_live_after_fork();
	begun(&flat[0], NULL, 4);
	begun(&flat[1], NULL, 2);
	for (unsigned i = 0; i < 3; i++)
		begun(&nested[i], &flat[0], 2);
	begun(&deep, &nested[1], 3);
	return 0;
}

static void
end_one(struct fg_bubble *bubble)
{
	fg_live_end(bubble);
	fg_bubble_free(bubble);
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
	fg_world = (struct fg_world){0};
	return 0;
}

static void
lie_below_each_other_newest_first(void **state)
{
	(void)state;
	assert_ptr_equal(fgomp_tree_first(NULL), &flat[1]);
	assert_ptr_equal(fgomp_tree_next(&flat[1]), &flat[0]);
	assert_null(fgomp_tree_next(&flat[0]));
	assert_null(fgomp_tree_first(&flat[1]));
	assert_ptr_equal(fgomp_tree_first(&flat[0]), &nested[2]);
	assert_ptr_equal(fgomp_tree_next(&nested[2]), &nested[1]);
	assert_ptr_equal(fgomp_tree_first(&nested[1]), &deep);
	assert_null(fgomp_tree_next(&nested[0]));
}

static void
end_in_any_order(void **state)
{
	(void)state;
	end_one(&nested[0]); /* the oldest, the newest, the only one; flat ones: the older first */
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
}

static void
child_of_a_fork_has_none(void **state)
{
	(void)state;
	fg_live_after_fork();
	for (struct fg_bubble *bubble = &nested[1]; bubble; bubble = bubble->entity.bubble)
		fg_live_forget(bubble);
	assert_null(fgomp_tree_first(NULL));
	assert_int_equal(fgomp_bubble_size(&nested[1]), 0);
	fg_live_end(&nested[1]); /* its end does not touch the tree */
	begun(&deep, &nested[1], 2);
	assert_ptr_equal(fgomp_tree_first(NULL), &deep);
	end_one(&deep);
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
	for (unsigned k = 0; k < 4; k++)
		fg_live_member_begin(&flat[0], k, &thread[k]);
	fg_live_member_begin(&deep, 2, &thread[4]);
	fg_live_member_begin(&deep, 3, &thread[5]); /* too large a number */
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
	fg_live_member_end(&flat[0], 3, &thread[3]);
	assert_null(fgomp_bubble_thread(&flat[0], 3));
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
		cmocka_unit_test_setup_teardown(lie_below_each_other_newest_first, begin, end),
		cmocka_unit_test_setup(end_in_any_order, begin),
		cmocka_unit_test_setup(child_of_a_fork_has_none, begin),
		cmocka_unit_test_setup_teardown(know_their_threads, begin, end),
		cmocka_unit_test_setup_teardown(send_what_may_move, begin, end),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
