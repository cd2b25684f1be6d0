/* Golden placements: the entities that a thief takes, the place of the rest, and the place of threads that are ready.
 * */
#include "sched_golden.h"

/* Machine of 4 nodes of 4; PU 5 is idle. */

static struct fg_bubble *b, *c, *d, *held;

static struct fg_runqueue *
scene(const char *policy, int pu_b, int pu_c, int pu_d)
{
	struct fg_runqueue *top = fake_machine(N4X4);
	use(policy);
	b = fake_bubble(NULL, 'b', 3);
	c = fake_bubble(NULL, 'c', 5);
	d = fake_bubble(NULL, 'd', 9);
	if (pu_b >= 0)
		fg_runqueue_push(fgomp_queue_of_pu(top, (unsigned)pu_b), &b->entity);
	if (pu_c >= 0)
		fg_runqueue_push(fgomp_queue_of_pu(top, (unsigned)pu_c), &c->entity);
	if (pu_d >= 0)
		fg_runqueue_push(fgomp_queue_of_pu(top, (unsigned)pu_d), &d->entity);
	return top;
}

static void
scene_end(struct fg_runqueue *top)
{
	fg_bubble_free(b);
	fg_bubble_free(c);
	fg_bubble_free(d);
	free(b);
	free(c);
	free(d);
	fake_free(top);
}

static void
steals(struct fg_runqueue *top, unsigned turn, const char *claimed, const char *expected)
{
	struct fg_claim claim = {0};
	char what[32] = "nothing";
	if (fg_policy_idle(fgomp_queue_of_pu(top, 5), turn, &claim))
		snprintf(what, sizeof what, "%c%u", fake_name(claim.bubble ? claim.bubble : claim.thread->bubble),
			 claim.member);
	assert_string_equal(what, claimed);
	all_right(top);
	char *text = fake_text(top);
	assert_string_equal(text, expected);
	free(text);
	scene_end(top);
}

static uint64_t
seven(void)
{
	return 7;
}

static void
thieves(void **state)
{
	(void)state;
	/* [A] 3.3: the nearest level with something; several: the one with the most threads, whole. */
	steals(scene("affinity", 6, 7, 0), 0, "c1", "0:d(9) 5:c(4) 6:b(3)");
	/* A lone bubble: a part of it, and it moves to the innermost level above both: the node, the machine. */
	steals(scene("affinity", 6, -1, 0), 0, "b1", "0:d(9) 4-7:b(2)");
	steals(scene("affinity", -1, -1, 0), 0, "d1", "0-15:d(8)");
	/* A lone bubble that holds others: a complete subtree, with all that it holds, the largest; the bubble around
	 * it moves up. */
	struct fg_runqueue *top = scene("affinity", -1, -1, -1);
	held = fake_bubble(NULL, 'a', 0);
	b->entity.bubble = c->entity.bubble = held;
	assert_true(fg_bubble_put_locked(held, &b->entity) && fg_bubble_put_locked(held, &c->entity));
	fg_runqueue_push(fgomp_queue_of_pu(top, 4), &held->entity);
	steals(top, 0, "c1", "4-7:a(3) 5:c(4)");
	fg_bubble_free(held);
	free(held);
	/* b has fewer threads than c, but c was made by one of b's: b holds it all. */
	top = scene("affinity", 6, 6, 0);
	c->entity.bubble = b;
	steals(top, 0, "b1", "0:d(9) 5:b(2) 6:c(5)");
	/* Any PU: the dice say 7, and a lone bubble lies there; 7 again, where nothing is. */
	fg_world.random = seven;
	steals(scene("affinity,near=no", 6, 7, 0), 0, "c1", "0:d(9) 4-7:c(4) 6:b(3)");
	steals(scene("affinity,near=no", 6, 6, 0), 0, "nothing", "0:d(9) 6:c(5) b(3)");
	fg_world.random = NULL;
	/* [C] the nearest, of these the heaviest by load: b, of which one member goes; d is farther. */
	top = scene("cache", 6, 7, 0);
	b->entity.load = 10;
	d->entity.load = 99;
	steals(top, 0, "b1", "0:d(9) 6:b(2) 7:c(5)");
	/* The nearest, the oldest: on PU 6 b came before c. d is farther. Turn 2 of PU 5 begins with PU 7. */
	steals(scene("steal", 6, 6, 0), 0, "b1", "0:d(9) 6:c(5) b(2)");
	steals(scene("default", 6, 7, 0), 2, "c1", "0:d(9) 6:b(3) 7:c(4)");
	/* Any PU with the same probability: the dice say 7. */
	fg_world.random = seven;
	steals(scene("random", 6, 7, 0), 0, "c1", "0:d(9) 6:b(3) 7:c(4)");
	steals(scene("random", 6, 6, 0), 0, "nothing", "0:d(9) 6:c(5) b(3)");
	fg_world.random = NULL;
	/* Nested regions as `steal`; no stealing at all. */
	steals(scene("compact", 6, 6, 0), 0, "b1", "0:d(9) 6:c(5) b(2)");
	steals(scene("spread", 6, 7, 0), 0, "nothing", "0:d(9) 6:b(3) 7:c(5)");
	steals(scene("global", 6, 7, 0), 0, "nothing", "0:d(9) 6:b(3) 7:c(5)");
}

static bool
withdrawn(void *thief)
{
	return thief != NULL;
}

/* Its own thread can go on by the end of the search: nothing is claimed, nothing is lost. */
static void
late_thieves(void **state)
{
	(void)state;
	for (unsigned i = 0; fg_sched_built_in(i); i++) {
		struct fg_runqueue *top = scene(fg_sched_built_in(i)->name, 6, 7, 0);
		struct fg_claim claim = {.withdrawn = withdrawn, .thief = top};
		assert_false(fg_policy_idle(fgomp_queue_of_pu(top, 5), 0, &claim));
		assert_null(claim.bubble);
		all_right(top);
		char *text = fake_text(top);
		assert_string_equal(text, "0:d(9) 6:b(3) 7:c(5)");
		free(text);
		scene_end(top);
	}
}

/* A policy on each node, inside another one: it takes from its own node, and the outer one takes across nodes. */
static struct fg_policy inner;

static struct fg_runqueue *
layered(const char *outer, const char *policy, int pu_b, int pu_c, int pu_d)
{
	struct fg_runqueue *top = scene(outer, pu_b, pu_c, pu_d);
	const char *why;
	assert_true(fg_policy_start(&inner, fg_sched_find(policy), NULL, &why));
	inner.outer = &fg_policy;
	for (unsigned node = 0; node < 4; node++)
		fake_policy(fgomp_queue_child(top, node), &inner);
	return top;
}

static void
layers(void **state)
{
	(void)state;
	struct fg_runqueue *leaf, *top;
	struct fg_claim claim = {0};
	/* [C] one member of the heaviest in the node. Nothing there: [A] from elsewhere, one member of a lone bubble,
	 * which rises to the machine. */
	steals(layered("affinity", "cache", 6, 7, 0), 0, "c1", "0:d(9) 6:b(3) 7:c(4)");
	steals(layered("affinity", "cache", -1, -1, 0), 0, "d1", "0-15:d(8)");
	/* [A] in the node: b rises to the node; from elsewhere [C] takes a member, and d stays. */
	steals(layered("cache", "affinity", 6, -1, 0), 0, "b1", "0:d(9) 4-7:b(2)");
	steals(layered("cache", "affinity", -1, -1, 0), 0, "d1", "0:d(8)");
	/* The dice say 7: the last of the 4 PUs of the node. */
	fg_world.random = seven;
	steals(layered("steal", "random", 6, 7, 0), 0, "c1", "0:d(9) 6:b(3) 7:c(4)");
	fg_world.random = NULL;
	/* By itself, none finds entities on another node. */
	static const char *const thieves[] = {"default", "steal", "compact", "random", "affinity", "cache"};
	for (size_t i = 0; i < sizeof thieves / sizeof *thieves; i++) {
		top = layered("global", thieves[i], -1, -1, 0);
		steals(top, 0, "nothing", "0:d(9)");
	}
	/* The one queue is the node's; a bubble of 8 finds no level of the node with so many PUs. */
	top = layered("steal", "global", -1, -1, -1);
	leaf = fgomp_queue_of_pu(top, 5);
	assert_ptr_equal(fg_policy_born(b, leaf, leaf), fake_level(top, 4, 7));
	assert_ptr_equal(fg_policy_woken(&b->entity, leaf, leaf), fake_level(top, 4, 7));
	steals(top, 0, "nothing", "");
	top = layered("steal", "spread", -1, -1, -1);
	leaf = fgomp_queue_of_pu(top, 5);
	assert_ptr_equal(fg_policy_born(d, leaf, leaf), fake_level(top, 4, 7));
	assert_false(fg_policy_idle(leaf, 0, &claim));
	steals(top, 0, "nothing", "");
	/* Around others it puts bubbles where they fit. */
	top = layered("spread", "steal", -1, -1, -1);
	leaf = fgomp_queue_of_pu(top, 5);
	assert_ptr_equal(fg_policy_born(b, top, leaf), fake_level(top, 4, 7));
	assert_ptr_equal(fg_policy_born(d, top, leaf), top);
	steals(top, 0, "nothing", "");
	fg_policy_stop(&inner);
}

/* `global` is the one that moves threads that are ready. */
static void
ready_threads(void **state)
{
	(void)state;
	struct fg_runqueue *top = fake_machine(N4X4), *near = fgomp_queue_of_pu(top, 5),
			   *home = fgomp_queue_of_pu(top, 2);
	struct fg_entity thread = {.kind = FG_ENTITY_THREAD};
	for (unsigned i = 0; fg_sched_built_in(i); i++) {
		use(fg_sched_built_in(i)->name);
		bool moves = strcmp(fg_policy.sched->name, "global") == 0;
		assert_ptr_equal(fg_policy_woken(&thread, home, near), moves ? top : home);
	}
	fake_free(top);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(thieves), cmocka_unit_test(late_thieves),
					   cmocka_unit_test(layers), cmocka_unit_test(ready_threads)};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);
	fg_policy_stop(&fg_policy);
	return failed;
}
