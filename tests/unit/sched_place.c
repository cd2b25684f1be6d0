/* Golden placements: where every policy puts nested teams and whole trees of bubbles, on made-up machines. */
#include "sched_golden.h"

/* ---- Nested teams: bubble a is born; t is on `leaf` and has `first` to `last` for itself ---- */

struct nested_case {
	const char *policy, *machine;
	unsigned first, last, leaf, unborn;
	const char *expected;
	const float *loads;
	bool learnt;
	const int *history; /* of members 1 ... */
};

static struct fg_bubble *
nested_bubble(const struct nested_case *one)
{
	struct fg_entity *room[256];
	struct fg_bubble *bubble = fake_bubble(NULL, 'a', one->unborn);
	if (one->history) {
		fg_bubble_burst(bubble, room);
		for (unsigned k = 1; k <= one->unborn; k++)
			bubble->members[k].entity.last_pu = (uint16_t)one->history[k - 1];
		bubble->born = 1;
	}
	bubble->loads = one->loads;
	bubble->learnt = one->learnt;
	return bubble;
}

static void
born(struct fg_bubble *bubble, struct fg_runqueue *range, struct fg_runqueue *leaf)
{
	struct fg_runqueue *queue = fg_policy_born(bubble, range, leaf);
	if (queue)
		fg_runqueue_push(queue, &bubble->entity);
	assert_int_equal(fg_load_relaxed(&fg_policy.failed), 0);
}

static void
nested(const struct nested_case *one)
{
	struct fg_runqueue *top = fake_machine(one->machine);
	struct fg_bubble *bubble = nested_bubble(one);
	use(one->policy);
	born(bubble, fake_level(top, one->first, one->last), fgomp_queue_of_pu(top, one->leaf));
	all_right(top);
	assert_int_equal(fg_runqueue_threads(top), one->unborn);
	char *text = fake_text(top);
	expect("nested team", one->policy, one->machine, text, one->expected);
	free(text);
	fg_bubble_free(bubble);
	free(bubble);
	fake_free(top);
}

static const float last_heavy[] = {1, 1, 1, 3}, first_heavy[] = {3, 1, 1, 1}, near_even[] = {90, 70, 100, 80};
static const int moved[] = {3, 1, 2};

static const struct nested_case nested_cases[] = {
	/* It stays where it was met; goes to the top; to the smallest level with a PU for each, t counted. */
	{"default", N4X4, 0, 3, 0, 3, .expected = "0:a(3)"},
	{"steal", N4X4, 0, 3, 2, 3, .expected = "2:a(3)"},
	{"random", N4X4, 0, 3, 2, 3, .expected = "2:a(3)"},
	{"global", N4X4, 0, 3, 2, 3, .expected = "0-15:a(3)"},
	{"spread", N4X4, 0, 3, 2, 3, .expected = "0-3:a(3)"},
	{"spread", N4X4, 4, 7, 5, 4, .expected = "0-15:a(4)"},
	{"spread", N8X2, 4, 5, 4, 1, .expected = "4-5:a(1)"},
	{"spread", P2X2L3X4, 8, 8, 8, 4, .expected = "8-15:a(4)"},
	{"spread", SMALL_LAST, 0, 7, 6, 2, .expected = "0-7:a(2)"},
	{"spread", P_E, 8, 11, 9, 3, .expected = "8-11:a(3)"},
	{"spread", "pu:1", 0, 0, 0, 3, .expected = "0:a(3)"},
	{"compact", N4X4, 0, 3, 2, 3, .expected = "0-3:a(3)"},
	{"compact", UNEVEN, 4, 4, 4, 1, .expected = "0-7:a(1)"},
	{"global", P_E, 8, 11, 9, 3, .expected = "0-15:a(3)"},
	{"global", BIG, 8, 8, 8, 3, .expected = "0-255:a(3)"},
	/* A PU alone: nothing to distribute. */
	{"affinity", N4X4, 5, 5, 5, 3, .expected = "5:a(3)"},
	{"cache", "pu:1", 0, 0, 0, 3, .expected = "0:a(3)"},
	/* One bubble, fewer than 4 PUs: burst. With t 4 threads, one a PU. */
	{"affinity", N4X4, 0, 3, 0, 3, .expected = "1:a1 2:a2 3:a3"},
	{"cache", N4X4, 0, 3, 0, 3, .expected = "1:a1 2:a2 3:a3"},
	/* 8, two a PU, t being the first on PU 2 that is dealt there. */
	{"affinity", N4X4, 0, 3, 2, 7, .expected = "0:a1 a2 1:a3 a4 2:a5 3:a6 a7"},
	/* The whole machine: 4 a node, t one of node 1's, and so on. */
	{"affinity", N4X4, 0, 15, 5, 15,
	 .expected = "0:a1 1:a2 2:a3 3:a4 4:a5 6:a6 7:a7 8:a8 9:a9 10:a10 11:a11 12:a12 13:a13 14:a14 15:a15"},
	{"cache", N4X4, 0, 15, 5, 15,
	 .expected = "0:a1 1:a2 2:a3 3:a4 4:a5 6:a6 7:a7 8:a8 9:a9 10:a10 11:a11 12:a12 13:a13 14:a14 15:a15"},
	/* Two PUs are more than one bubble: 4 threads, 2 a PU. */
	{"affinity", N8X2, 0, 1, 0, 3, .expected = "0:a1 1:a2 a3"},
	{"cache", N8X2, 0, 1, 0, 3, .expected = "0:a1 1:a2 a3"},
	{"affinity", "core:2 pu:1", 0, 1, 1, 1, .expected = "0:a1"},
	/* A package of two L3 of 4. 8 threads fill it: the bubble does not stay whole, because the other L3 would have
	 * t only. */
	{"affinity", P2X2L3X4, 0, 7, 0, 7, .expected = "1:a1 2:a2 3:a3 4:a4 5:a5 6:a6 7:a7"},
	/* 4: two an L3, and two on 4 PUs: the first and the third. */
	{"affinity", P2X2L3X4, 0, 7, 0, 3, .expected = "2:a1 4:a2 6:a3"},
	{"cache", P2X2L3X4, 8, 15, 8, 3, .expected = "10:a1 12:a2 14:a3"},
	/* Sizes 6 and 2, t in the small one: a1 to the empty one, then 2/6 and 3/6 before 2/2; three on 6 PUs: 0 2 4.
	 * */
	{"affinity", SMALL_LAST, 0, 7, 7, 3, .expected = "0:a1 2:a2 4:a3"},
/* Sizes 4 3 2 4, t in the second: one each to the others, the fourth: 2/4 before 2/3. */
#ifdef FG_HAVE_HWLOC
	/* t on PU 0: the first to the small ones, the second to the other large core, then the small ones (2 / 4, 3 / 4
	 * < 1). */
	{"affinity", HYBRID, 0, 7, 0, 4, .expected = "2:a1 4:a2 5:a3 6:a4"},
	{"cache", HYBRID, 0, 7, 0, 4, .expected = "2:a1 4:a2 5:a3 6:a4"},
	/* t on PU 0: node 1, node 0 (2 / 3 < 1), node 0 (alike). t on PU 3: node 0 each time. */
	{"affinity", OFFLINE_XML, 0, 4, 0, 3, .expected = "1:a1 2:a2 3:a3"},
	{"cache", OFFLINE_XML, 0, 4, 3, 3, .expected = "0:a1 1:a2 2:a3"},
#endif
	{"affinity", OFFLINE, 0, 12, 4, 4, .expected = "0:a1 2:a2 7:a3 9:a4"},
	{"cache", OFFLINE, 0, 12, 4, 4, .expected = "0:a1 2:a2 7:a3 9:a4"},
	{"affinity", SMT, 0, 1, 1, 1, .expected = "0:a1"},
	{"affinity", ODD, 3, 5, 3, 2, .expected = "4:a1 5:a2"},
	/* t on a large core: the other children one each, larger first but all get one: 5 threads and t. */
	{"affinity", P_E, 0, 15, 0, 5, .expected = "2:a1 4:a2 6:a3 8:a4 12:a5"},
	/* [C] Loads 1 (t), 1 1 3: 3 to the empty node 1, the two 1 to node 0 (2, then 3, of 2 PUs each). Node 0: three
	 * alike, 2 and 1. */
	{"cache", N2X2, 0, 3, 0, 3, .expected = "0:a1 1:a2 2:a3", .loads = last_heavy},
	{"cache,load=no", N2X2, 0, 3, 0, 3, .expected = "1:a1 2:a2 3:a3", .loads = last_heavy},
	{"affinity", N2X2, 0, 3, 0, 3, .expected = "1:a1 2:a2 3:a3", .loads = last_heavy},
	/* t has 3: the three 1 go to node 1 (1, 2 < 4, 3 < 4), there 2 and 1. */
	{"cache", N2X2, 0, 3, 0, 3, .expected = "2:a1 a2 3:a3", .loads = first_heavy},
	/* t has 90. Told: 100 to node 1, 80 to node 0, because 170 < 180, and 70 to node 1. Learnt: by number 160 and
	 * 180 are even enough, because both are below 191. */
	{"cache", N2X2, 0, 3, 0, 3, .expected = "1:a3 2:a2 3:a1", .loads = near_even},
	{"cache", N2X2, 0, 3, 0, 3, .expected = "1:a1 2:a2 3:a3", .loads = near_even, .learnt = true},
	{"cache", N2X2, 0, 3, 0, 3, .expected = "0:a1 1:a2 2:a3", .loads = last_heavy, .learnt = true},
	/* Tuned: one thread a PU leaves nothing to share. With 5 more than t on two nodes of two: three a node, t on PU
	 * 0, a1 a2; a3 a4 a5 are two on PU 2. All are alike, so the PU with the most goes to the node. On node 0 it is
	 * the first of equals: a1 is behind t. */
	{"cache,tuned", N2X2, 0, 3, 0, 3, .expected = "1:a1 2:a2 3:a3"},
	{"cache,tuned", N2X2, 0, 3, 0, 5, .expected = "0-1:a1 1:a2 2-3:a4 a3 3:a5"},
	/* Two a node, of which t is one. a1 ran on PU 3, a2 on 1, a3 on 2: all go back. [A] does not ask. */
	{"cache", N2X2, 0, 3, 0, 3, .expected = "1:a2 2:a3 3:a1", .history = moved},
	{"affinity", N2X2, 0, 3, 0, 3, .expected = "1:a1 2:a2 3:a3", .history = moved},
};

static void
nested_teams(void **state)
{
	(void)state;
	wrong = 0;
	for (size_t i = 0; i < sizeof nested_cases / sizeof *nested_cases; i++)
		nested(&nested_cases[i]);
	/* 256 threads with t on PU 0: member k on PU k. */
	char expected[8192], *end = expected;
	for (unsigned k = 1; k < 256; k++)
		end += sprintf(end, k > 1 ? " %u:a%u" : "%u:a%u", k, k);
	struct nested_case big = {"affinity", BIG, 0, 255, 0, 255, .expected = expected};
	nested(&big);
	big.policy = "cache";
	nested(&big);
	assert_int_equal(wrong, 0);
}

/* ---- Trees: bubble a holds bubbles b, c ... and nothing else ---- */

struct tree_case {
	const char *policy, *machine;
	unsigned sizes[8]; /* of b, c ... */
	float loads[8];	   /* of these; 0: not known */
	int leaf;	   /* of t; -1: there is none, all of a is new, and is placed as an outermost team */
	const char *expected;
};

static void
tree(const struct tree_case *one)
{
	struct fg_runqueue *top = fake_machine(one->machine);
	struct fg_bubble *outer = fake_bubble(NULL, 'a', 0), *inner[8];
	unsigned n = 0, threads = 0;
	while (one->sizes[n])
		n++;
	for (unsigned i = n; i-- > 0;) { /* the member that was put in last comes first */
		inner[i] = fake_bubble(outer, (char)('b' + i), one->sizes[i]);
		inner[i]->entity.load = one->loads[i];
		threads += one->sizes[i];
		assert_true(fg_bubble_put_locked(outer, &inner[i]->entity));
	}
	use(one->policy);
	if (one->leaf < 0) {
		fg_policy_hand_take(&outer->entity);
		fg_policy.sched->place(fg_policy.self, outer, top);
		assert_true(fg_policy_hand_empty(&fg_policy, top));
	} else {
		born(outer, top, fgomp_queue_of_pu(top, (unsigned)one->leaf));
	}
	all_right(top);
	assert_int_equal(fg_runqueue_threads(top), threads);
	char *text = fake_text(top);
	expect("tree", one->policy, one->machine, text, one->expected);
	free(text);
	for (unsigned i = 0; i < n; i++) {
		fg_bubble_free(inner[i]);
		free(inner[i]);
	}
	fg_bubble_free(outer);
	free(outer);
	fake_free(top);
}

#define ONE_A_PU "0:b1 1:b2 2:b3 3:b4 4:c1 5:c2 6:c3 7:c4 8:d1 9:d2 10:d3 11:d4 12:e1 13:e2 14:e3 15:e4"

static const struct tree_case tree_cases[] = {
	/* [A] figure 1: only the outer bubble bursts at the top; each of 4 fills a node, arrives whole, and bursts
	 * there. [C] 4 entities for 16 PUs: all burst at the top, largest first: 7, 10, 13, 16; in their order one a
	 * PU. */
	{"affinity", N4X4, {4, 4, 4, 4}, {0}, -1, ONE_A_PU},
	{"cache", N4X4, {4, 4, 4, 4}, {0}, -1, ONE_A_PU},
	/* t on PU 5. [A] With t 5 entities, 4 of them whole. They weigh 4, t 1: b, c, d to the empty nodes 0, 2, 3, e
	 * to node 1. There e and t are 2 for 4 PUs: burst; 5 threads on 4 PUs, rounded up from the left: 2, t, 1, 1.
	 * [C] 5, 8, 11, 14, 17 with t: all burst. 17 on 4 nodes, rounded up: 5, t and 3, 4, 4. */
	{"affinity",
	 N4X4,
	 {4, 4, 4, 4},
	 {0},
	 5,
	 "0:b1 1:b2 2:b3 3:b4 4:e1 e2 6:e3 7:e4 8:c1 9:c2 10:c3 11:c4 12:d1 13:d2 14:d3 15:d4"},
	{"cache",
	 N4X4,
	 {4, 4, 4, 4},
	 {0},
	 5,
	 "0:b1 b2 1:b3 2:b4 3:c1 4:c2 6:c3 7:c4 8:d1 9:d2 10:d3 11:d4 12:e1 13:e2 14:e3 15:e4"},
	/* 4, 2, 2 on two nodes of 4. [A] b fills a node, all nodes get something: whole. b to the empty node 0, c to
	 * node 1, d to node 1 (4 < 6). There two for 4 PUs, none of which gives every PU something: burst c, then d.
	 * [C] burst b (6), c (7), d (8): in order. */
	{"affinity", "n(....)n(....)", {4, 2, 2}, {0}, -1, "0:b1 1:b2 2:b3 3:b4 4:c1 5:c2 6:d1 7:d2"},
	{"cache", "n(....)n(....)", {4, 2, 2}, {0}, -1, "0:b1 1:b2 2:b3 3:b4 4:c1 5:c2 6:d1 7:d2"},
	/* 8, 2, 1, 1 on 4 nodes of 4. [A] keeps b together: a node each, b 2 a PU. [C] keeps the balance: burst b (11),
	 * c (12), d, e (12): three a node in the order in which they came out. Three on 4 PUs: 0 1 2; two: 0 2. */
	{"affinity", N4X4, {8, 2, 1, 1}, {0}, -1, "0:b1 b2 1:b3 b4 2:b5 b6 3:b7 b8 4:c1 6:c2 8:d1 12:e1"},
	{"cache", N4X4, {8, 2, 1, 1}, {0}, -1, "0:b1 1:b2 2:b3 4:b4 5:b5 6:b6 8:b7 9:b8 10:c1 12:c2 13:d1 14:e1"},
	/* A small package first. Both fill one: c, the larger, to the one that it fills least, b to the other. */
	{"affinity", SMALL_FIRST, {2, 6}, {0}, -1, "0:b1 1:b2 2:c1 3:c2 4:c3 5:c4 6:c5 7:c6"},
	{"affinity", SMALL_LAST, {2, 6}, {0}, -1, "0:c1 1:c2 2:c3 3:c4 4:c5 5:c6 6:b1 7:b2"},
	/* Offline PUs leave nodes of 4, 3, 2, 4, and b to e of 4, 3, 2, 4 fill the smallest: b to the first of the
	 * largest that is empty, e (4) to the other, c (3) to the empty one of 3 and d to that of 2. */
	{"affinity",
	 OFFLINE,
	 {4, 3, 2, 4},
	 {0},
	 -1,
	 "0:b1 1:b2 2:b3 3:b4 4:c1 5:c2 6:c3 7:d1 8:d2 9:e1 10:e2 11:e3 12:e4"},
#ifdef FG_HAVE_HWLOC
	/* Both fill a node: c, the larger, the one of 3. */
	{"affinity", OFFLINE_XML, {2, 3}, {0}, -1, "0:c1 1:c2 2:c3 3:b1 4:b2"},
#endif
	/* 5 teams, 4 PUs: none bursts. [A] all alike: 3 and 2; 2 and 1, 1 and 1. [C] loads 8 7 5 3 2: 8 n0, 7 n1, 5 n1
	 * (12 < 13), 3 n0 (11 < 15), 2 n0 (13 < 14). n0: 8; 3, 2 (5 < 10). n1: 7; 5. */
	{"affinity", N2X2, {2, 2, 2, 2, 2}, {8, 7, 5, 3, 2}, -1, "0:b(2) c(2) 1:d(2) 2:e(2) 3:f(2)"},
	{"cache,load=no", N2X2, {2, 2, 2, 2, 2}, {8, 7, 5, 3, 2}, -1, "0:b(2) c(2) 1:d(2) 2:e(2) 3:f(2)"},
	{"cache", N2X2, {2, 2, 2, 2, 2}, {8, 7, 5, 3, 2}, -1, "0:b(2) 1:e(2) f(2) 2:c(2) 3:d(2)"},
	/* The same with t on PU 0: as heavy as the mean thread, 25 / 10 = 2.5. 8 to the empty n1, 7 n0 (9.5 < 15), 5 n1
	 * (13 < 14.5), 3 n0 (12.5 < 16), 2 n0 (14.5 < 15). In n0 t is 12 / 6 = 2: 7 to the empty PU 1, 3 to PU 0 (5), 2
	 * to PU 0 (7 < 9). Tuned: the runqueue with the heaviest member goes to the node's: of 1.5 and 3.5 the second,
	 * of 4 and 2.5 the first. 1.5 and 1 are less than 3.5 / 1.5, and 2.5 is less than 4 / 1.5: burst, and
	 * behind. */
	{"cache", N2X2, {2, 2, 2, 2, 2}, {8, 7, 5, 3, 2}, 0, "0:e(2) f(2) 1:c(2) 2:b(2) 3:d(2)"},
	{"cache,tuned", N2X2, {2, 2, 2, 2, 2}, {8, 7, 5, 3, 2}, 0, "0-1:c(2) e1 e2 f1 f2 2-3:b(2) d1 d2"},
	/* One node of 2. Loads 4 3 2 2, t 11 / 8 = 1.375: 4 to the empty PU 1, 3 to PU 0 (4.375), the first 2 to PU 1
	 * (6 < 6.375), the second to PU 0 (6.375 < 8). The heaviest member, 2, lies on PU 1: its queue goes up. Those
	 * of 1 are less than 2 / 1.5: burst, and behind. Those of 1.5 are not. */
	{"cache,tuned=yes", "numa:1 core:2 pu:1", {2, 2, 2, 2}, {4, 3, 2, 2}, 0, "0-1:b(2) e1 e2 d1 d2 0:c(2)"},
};

static void
trees(void **state)
{
	(void)state;
	wrong = 0;
	for (size_t i = 0; i < sizeof tree_cases / sizeof *tree_cases; i++)
		tree(&tree_cases[i]);
	assert_int_equal(wrong, 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(nested_teams), cmocka_unit_test(trees)};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);
	fg_policy_stop(&fg_policy);
	return failed;
}
