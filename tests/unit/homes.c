/* Homes of teams, and what a thief may take one by one, and when (sched/home.h, rob.h). */
#include "homes.h"

/* ---- Where a team's home is ---- */

static const struct {
	const char *machine;
	unsigned above; /* the size of the team around; 0: there is none */
	unsigned size, pu;
	const char *home, *dealt;
} geometry[] = {
	/* A share of 4 is a domain: the one where it is met. Member 0 is on PU 5 already. */
	{N4X4, 4, 4, 5, "4-7", "4:b1 6:b2 7:b3"},
	/* 16 PUs for 8 teams: 2 each. The home is a whole domain all the same. */
	{N4X4, 8, 4, 0, "0-3", "0:b1 1:b2 b3"},
	/* 16 for 12: less than 1.5. The team stays whole on its PU. */
	{N4X4, 12, 4, 9, "8-11 lone", "9:b(3)"},
	/* 16 for 2: two domains each, the left two or the right two. */
	{N4X4, 2, 8, 1, "0-7", "0:b1 2:b2 3:b3 4:b4 5:b5 6:b6 7:b7"},
	{N4X4, 2, 8, 12, "8-15", "8:b1 9:b2 10:b3 11:b4 13:b5 14:b6 15:b7"},
	/* A team of 4 that has 8 PUs wants no more than 4. */
	{N4X4, 2, 4, 8, "8-11", "9:b1 10:b2 11:b3"},
	/* 3 of 4 domains come nearest, but blocks of 3 would leave one over: all. */
	{N4X4, 0, 12, 0, "0-15", NULL},
	/* L3 caches are further in than packages, and are no nodes here. */
	{P2X2L3X4, 4, 4, 9, "8-11", "8:b1 10:b2 11:b3"},
	/* Domains of 4, 1 and 3 PUs: that of 1 is none, and is passed over. */
	{UNEVEN, 2, 4, 6, "5-7", NULL},
	{UNEVEN, 0, 8, 0, "0-7", NULL},
	/* 5 and 3: the share of 8 is both. */
	{"n(.....)n(...)", 0, 8, 0, "0-7", NULL},
	{"n(...)n(.....)", 0, 8, 7, "0-7", NULL},
	{"n(.....)n(...)", 2, 4, 6, "5-7", NULL},
	/* A cache within a node that has more PUs. */
	{"n(..3(...)..)n(....)", 3, 3, 3, "2-4", NULL},
	{"n(..3(...)..)n(....)", 0, 11, 3, "0-10", NULL},
	/* No domain, or one: no home. Each PU with an L3 of its own: no domain. */
	{"n(........)", 2, 4, 0, "none", "0:b(3)"},
	{"....", 2, 2, 0, "none", "0:b(1)"},
	{"3(.)3(.)3(.)3(.)", 2, 2, 0, "none", "0:b(1)"},
	/* The PU has no domain. */
	{"n(....)n(....)..", 2, 4, 9, "none", "9:b(3)"},
};

static void
where_homes_are(void **state)
{
	(void)state;
	wrong = 0;
	for (size_t i = 0; i < sizeof geometry / sizeof *geometry; i++) {
		struct fg_runqueue *top = begin("default", geometry[i].machine);
		struct fg_bubble *above = geometry[i].above ? fake_bubble(NULL, 'a', geometry[i].above - 1) : NULL;
		struct fg_bubble *team = meet(top, above, 'b', geometry[i].size, geometry[i].pu);
		char home[64], what[64];
		write_home(team, home, sizeof home);
		snprintf(what, sizeof what, "team of %u, each of %u has one, on PU %u", geometry[i].size,
			 geometry[i].above, geometry[i].pu);
		expect(what, "default", geometry[i].machine, home, geometry[i].home);
		char *text = fake_text(top);
		if (geometry[i].dealt)
			expect(what, "default", geometry[i].machine, text, geometry[i].dealt);
		free(text);
		fg_home_end(team);
		end(top);
	}
	assert_int_equal(wrong, 0);
}

/* ---- What a thief may take ---- */

/* A member that was dealt to a PU is that PU's for 3 us. Then its neighbours may take it, and nobody else. */
static void
dealt_members_are_reserved(void **state)
{
	(void)state;
	struct fg_runqueue *top = begin("default", N4X4);
	struct fg_bubble *around = fake_bubble(NULL, 'a', 3), *team = meet(top, around, 'b', 2, 5);
	expect_text(top, "4:b1");
	time_now += 2999;
	thief_gets(top, 6, 2999, "nothing");
	time_now += 1;
	thief_gets(top, 0, 900000, "nothing");
	thief_gets(top, 6, 0, "b1");
	fg_home_end(team);
	end(top);
}

/* With fewer workers than three quarters of the PUs a team stays where it is met, because a PU of its home may have
 * none. */
static void
few_workers_no_homes(void **state)
{
	(void)state;
	struct fg_runqueue *top = begin("default", N4X4);
	struct fg_bubble *around = fake_bubble(NULL, 'a', 3);
	fg_homes_staff(11);
	struct fg_bubble *lone = meet(top, around, 'b', 4, 5);
	expect_home(lone, "none");
	fg_home_end(lone);
	fg_homes_staff(12);
	struct fg_bubble *dealt = meet(top, around, 'c', 4, 9);
	expect_home(dealt, "8-11");
	fg_home_end(dealt);
	end(top);
}

/* A lone team's bubble is its domain's at once, and anybody's after 2 us. */
static void
lone_teams_go_anywhere(void **state)
{
	(void)state;
	EACH_POLICY(policy)
	{
		struct fg_runqueue *top = begin(*policy, N4X4);
		struct fg_bubble *around = fake_bubble(NULL, 'a', 11), *team = meet(top, around, 'b', 4, 9);
		expect_home(team, "8-11 lone");
		thief_gets(top, 0, 5000, "nothing");
		thief_gets(top, 10, 0, "b1");
		time_now += 2000;
		thief_gets(top, 0, 0, "b2");
		thief_gets(top, 13, 0, "b3");
		fg_home_end(team);
		end(top);
	}
}

/* Two lone teams of one age. One has begun two of its four members, so it is lighter, or done sooner: thieves take from
 * the other one, within the domain and from afar. Both have two members left then, and 3/2 of the work is in the team
 * that has begun fewer. */
static void
the_team_with_the_most_work_left_goes_first(void **state)
{
	(void)state;
	EACH_POLICY(policy)
	{
		struct fg_runqueue *top = begin(*policy, N4X4);
		struct fg_bubble *around = fake_bubble(NULL, 'a', 11), *light = meet(top, around, 'b', 4, 8),
				 *heavy = meet(top, around, 'c', 8, 9);
		expect_home(light, "8-11 lone");
		expect_home(heavy, "8-11 lone");
		struct fg_claim own = {0};
		struct fg_runqueue *queue = fgomp_queue_of_pu(top, 8);
		while (!fgomp_claim_oldest(queue, false, &own))
			queue = fg_runqueue_parent(queue);
		time_now += 2000;
		thief_gets(top, 10, 0, "c1");
		thief_gets(top, 0, 0, "c2");
		thief_gets(top, 11, 0, "c3");
		thief_gets(top, 11, 0, "b2");
		fg_home_end(light);
		fg_home_end(heavy);
		end(top);
	}
}

/* A team of two domains: after 50 us the PUs of both take its members, and nobody else. */
static void
wide_teams_keep_to_their_home(void **state)
{
	(void)state;
	struct fg_runqueue *top = begin("default", N4X4);
	struct fg_bubble *around = fake_bubble(NULL, 'a', 1), *team = meet(top, around, 'b', 8, 1);
	expect_home(team, "0-7");
	for (unsigned pu = 4; pu < 8; pu++)
		takes_own(top, pu, (const char[]){'b', (char)('0' + pu), '\0'});
	time_now += 49999;
	thief_gets(top, 5, 50000, "nothing");
	time_now += 1;
	thief_gets(top, 5, 49999, "nothing");
	thief_gets(top, 8, 900000, "nothing");
	thief_gets(top, 5, 50000, "b");
	expect_home(team, "0-7");
	fg_home_end(team);
	end(top);
}

/* A thread that goes on at PU 0 only waits for its team. So for 50 us that PU leaves to others what is known to pay. It
 * takes a lone team's members as any PU does. */
static void
hosts_leave_far_things(void **state)
{
	(void)state;
	EACH_POLICY(policy)
	{
		struct fg_runqueue *top = begin(*policy, N4X4);
		struct fg_bubble *around = fake_bubble(NULL, 'a', 3);
		fg_store_relaxed(&fgomp_queue_of_pu(top, 0)->awaits, 1);
		teach(top, around, 'h', 98000, 118000);
		for (unsigned i = 0; i < 3; i++)
			teach(top, around, 'h', 98000, 118000);
		struct fg_bubble *team = meet(top, around, 'h', 3, 5);
		time_now += 4000;
		thief_gets(top, 0, 49000, "nothing");
		thief_gets(top, 1, 4000, "h");
		thief_gets(top, 0, 50000, "h");
		fg_home_end(team);
		struct fg_bubble *lone = meet(top, fake_bubble(NULL, 'a', 16), 'l', 3, 5);
		time_now += 4000;
		thief_gets(top, 0, 4000, "l");
		fg_home_end(lone);
		end(top);
	}
}

/* A ready thread goes before members that are not born, and is reserved for nobody in its domain. */
static void
ready_threads_stay_in_their_home(void **state)
{
	(void)state;
	struct fg_runqueue *top = begin("default", N4X4);
	struct fg_bubble *around = fake_bubble(NULL, 'a', 3), *team = meet(top, around, 'b', 2, 5);
	struct fg_entity ready = {.kind = FG_ENTITY_THREAD, .bubble = team};
	fg_runqueue_push(fgomp_queue_of_pu(top, 7), &ready);
	thief_gets(top, 12, 400000, "nothing");
	thief_gets(top, 6, 0, "b*");
	takes_own(top, 4, "b1");
	fg_home_end(team);
	end(top);
}

/* With one domain teams have no home, and anything goes at once, as with `steal`. */
static void
one_domain(void **state)
{
	(void)state;
	struct fg_runqueue *top = begin("default", "p(3(....))");
	struct fg_bubble *around = fake_bubble(NULL, 'a', 1), *team = meet(top, around, 'b', 3, 1);
	expect_text(top, "1:b(2)");
	struct fg_claim claim = {0};
	assert_true(fg_policy_idle(fgomp_queue_of_pu(top, 3), 0, &claim));
	assert_true(claim.bubble == team && claim.member == 1);
	fg_home_end(team);
	end(top);
}

/* The outer policy of a layer robs, too. The thief's domain lies in the part of the inner one. */
static void
layers(void **state)
{
	(void)state;
	static struct fg_policy inner;
	struct fg_runqueue *top = begin("cache", "n(3(....)3(....))n(3(....)3(....))");
	const char *why;
	assert_true(fg_policy_start(&inner, fg_sched_find("cache"), NULL, &why));
	inner.outer = &fg_policy;
	for (unsigned node = 0; node < 2; node++)
		fake_policy(fgomp_queue_child(top, node), &inner);
	struct fg_bubble *around = fake_bubble(NULL, 'a', 15), *team = meet(top, around, 'b', 4, 9);
	expect_home(team, "8-11 lone");
	thief_gets(top, 0, 1000, "nothing");
	thief_gets(top, 0, 2000, "nothing");
	time_now += 2000;
	thief_gets(top, 0, 2000, "b1"); /* from the other node: by the outer one */
	thief_gets(top, 13, 2000, "b2");
	fg_home_end(team);
	end(top);
}

/* A region that began before the levels were known is in no live tree, and nobody would end its home. */
static void
not_noted_no_home(void **state)
{
	(void)state;
	struct fg_runqueue *top = begin("default", N4X4), *leaf = fgomp_queue_of_pu(top, 0);
	struct fg_bubble *team = fake_bubble(NULL, 'b', 3);
	team->noted = false;
	fg_runqueue_push(fg_policy_born(team, leaf, leaf), &team->entity);
	assert_int_equal(fg_home_of(team).n, 0);
	fg_home_end(team);
	end(top);
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(where_homes_are),
		cmocka_unit_test(dealt_members_are_reserved),
		cmocka_unit_test(few_workers_no_homes),
		cmocka_unit_test(not_noted_no_home),
		cmocka_unit_test(lone_teams_go_anywhere),
		cmocka_unit_test(the_team_with_the_most_work_left_goes_first),
		cmocka_unit_test(wide_teams_keep_to_their_home),
		cmocka_unit_test(hosts_leave_far_things),
		cmocka_unit_test(ready_threads_stay_in_their_home),
		cmocka_unit_test(one_domain),
		cmocka_unit_test(layers),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
