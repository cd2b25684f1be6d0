/* fgomp_put_back: a policy puts an entity back into the bubble from which it has come. */
#include "fake_machine.h"

#include <stdio.h>
#include <string.h>

static struct fg_runqueue *top, *leaf;
static struct fg_bubble *bubble, *other;

/* Two bubbles of 3 members that have not begun lie on PU 0. */
static int
begin(void **state)
{
	const char *why;
	(void)state;
	assert_true(fg_policy_start(&fg_policy, fg_sched_find("default"), NULL, &why));
	top = fake_machine("n(..)n(..)");
	leaf = fgomp_queue_of_pu(top, 0);
	bubble = fake_bubble(NULL, 'a', 3);
	other = fake_bubble(NULL, 'b', 3);
	fg_runqueue_push(leaf, &other->entity);
	fg_runqueue_push(leaf, &bubble->entity);
	return 0;
}

/* Nothing is left in the hand of the policy, and the machine has these contents. */
static void
ends_with(const char *expected)
{
	char *text = fake_text(top);
	assert_string_equal(text, expected);
	free(text);
	assert_null(fg_runqueue_check(top));
	assert_true(fg_policy_hand_empty(&fg_policy, top));
	assert_int_equal(fg_load_relaxed(&fg_policy.failed), 0);
}

static int
end(void **state)
{
	(void)state;
	fg_bubble_free(bubble);
	fg_bubble_free(other);
	free(bubble);
	free(other);
	fake_free(top);
	return 0;
}

/* Bursts the bubble, and gathers it again: its members are entities in it, and it is in the hand. */
static void
gathered(void)
{
	struct fg_entity *member[3];
	fgomp_take(&bubble->entity);
	assert_int_equal(fgomp_bubble_burst(bubble, member), 3);
	for (unsigned k = 0; k < 3; k++)
		fgomp_put_locked(member[k], leaf);
	assert_true(fgomp_bubble_gather(bubble, top));
	assert_int_equal(fgomp_entity_threads(&bubble->entity), 3);
}

static struct fg_entity *
take_from(struct fg_bubble *from)
{
	struct fg_entity *member = fgomp_holder_first(fgomp_bubble_holder(from));
	unsigned threads = fgomp_entity_threads(&from->entity);
	fgomp_take(member);
	assert_null(fgomp_entity_holder(member));
	assert_int_equal(fgomp_entity_threads(&from->entity), threads - 1);
	return member;
}

static void
goes_back(struct fg_entity *member)
{
	unsigned threads = fgomp_entity_threads(&bubble->entity);
	assert_true(fgomp_put_back(member, bubble));
	assert_ptr_equal(fgomp_entity_holder(member), fgomp_bubble_holder(bubble));
	assert_int_equal(fgomp_entity_threads(&bubble->entity), threads + 1);
	assert_false(fg_policy_hand_has(member));
}

static void
into_a_bubble_in_the_hand(void **state)
{
	(void)state;
	fgomp_queue_lock_all(top);
	gathered();
	struct fg_entity *one = take_from(bubble), *two = take_from(bubble);
	goes_back(one);
	goes_back(two);
	fgomp_put_locked(&bubble->entity, leaf);
	fgomp_queue_unlock_all(top);
	ends_with("0:a(3) b(3)");
}

static void
into_a_bubble_on_a_locked_runqueue(void **state)
{
	(void)state;
	fgomp_queue_lock_all(top);
	gathered();
	fgomp_put_locked(&bubble->entity, leaf);
	goes_back(take_from(bubble));
	fgomp_queue_unlock_all(top);
	ends_with("0:a(3) b(3)");
}

/* After a burst the bubble lies nowhere. The members stay in the hand. */
static void
into_no_bubble_that_lies_nowhere(void **state)
{
	struct fg_entity *member[3];
	(void)state;
	fgomp_queue_lock(leaf);
	fgomp_take(&bubble->entity);
	assert_int_equal(fgomp_bubble_burst(bubble, member), 3);
	assert_false(fgomp_put_back(member[0], bubble));
	assert_true(fg_policy_hand_has(member[0]));
	for (unsigned k = 0; k < 3; k++)
		fgomp_put_locked(member[k], leaf);
	fgomp_queue_unlock(leaf);
	ends_with("0:a3 a2 a1 b(3)");
}

static void
into_no_bubble_of_others(void **state)
{
	struct fg_entity *member[3];
	(void)state;
	fgomp_queue_lock_all(top);
	gathered();
	fgomp_take(&other->entity);
	assert_int_equal(fgomp_bubble_burst(other, member), 3);
	assert_false(fgomp_put_back(member[0], bubble));
	assert_true(fg_policy_hand_has(member[0]));
	for (unsigned k = 0; k < 3; k++)
		fgomp_put_locked(member[k], leaf);
	fgomp_put_locked(&bubble->entity, leaf);
	fgomp_queue_unlock_all(top);
	ends_with("0:a(3) b3 b2 b1");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(into_a_bubble_in_the_hand, begin, end),
		cmocka_unit_test_setup_teardown(into_a_bubble_on_a_locked_runqueue, begin, end),
		cmocka_unit_test_setup_teardown(into_no_bubble_that_lies_nowhere, begin, end),
		cmocka_unit_test_setup_teardown(into_no_bubble_of_others, begin, end),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
