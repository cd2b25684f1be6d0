/* Thefts of whole teams, of what has lain for long, and where teams that were moved begin (sched/rob.h, home.h). */
#include "homes.h"

/* A whole team comes where there are two fewer, after 50 us. Its threads that become ready follow. */
static void
whole_teams_come(void **state)
{
	(void)state;
	EACH_POLICY(policy)
	{
		struct fg_runqueue *top = begin(*policy, N4X4);
		struct fg_bubble *around = fake_bubble(NULL, 'a', 3), *b = meet(top, around, 'b', 4, 1),
				 *c = meet(top, around, 'c', 4, 3);
		struct fg_entity waits = {.kind = FG_ENTITY_THREAD, .bubble = b, .number = 2},
				 parent = {.kind = FG_ENTITY_THREAD, .bubble = around, .number = 1};
		fg_store_relaxed(&parent.met, b);
		expect_home(b, "0-3");
		expect_home(c, "0-3");
		time_now += 49999;
		thief_gets(top, 4, 50000, "nothing");
		time_now += 1;
		thief_gets(top, 4, 49999, "nothing");
		struct fg_runqueue *was = fgomp_queue_of_pu(top, 2);
		assert_ptr_equal(fg_home_of_thread(&waits, was), was);
		assert_ptr_equal(fg_home_of_thread(&parent, was), was);
		struct fg_claim claim = look(top, 4, 50000);
		assert_non_null(claim.bubble);
		/* The other one stays. The rest are here now. */
		expect_home(claim.bubble, "4-7 moved");
		expect_home(claim.bubble == b ? c : b, "0-3");
		waits.bubble = claim.bubble;
		fg_store_relaxed(&parent.met, claim.bubble);
		for (unsigned pu = 4; pu < 8; pu++) {
			struct fg_holder *holder = fgomp_queue_holder(fgomp_queue_of_pu(top, pu));
			struct fg_entity *entity = fgomp_holder_first(holder);
			assert_true(!entity == (pu == 4 || pu == 7));
			assert_true(!entity || entity->bubble == claim.bubble);
		}
		assert_ptr_equal(fg_home_of_thread(&waits, was), fgomp_queue_of_pu(top, 6));
		assert_ptr_equal(fg_home_of_thread(&parent, was), fgomp_queue_of_pu(top, 5));
		assert_ptr_equal(fg_home_of_thread(&parent, fgomp_queue_of_pu(top, 7)), fgomp_queue_of_pu(top, 7));
		/* One team here and one there: neither domain has two more. */
		time_now += 100000;
		thief_gets(top, 8, 60000, "nothing");
		fg_home_end(c);
		fg_home_end(b);
		end(top);
	}
}

/* Where one domain has two teams and the other has one, all stay. */
static void
even_teams_stay(void **state)
{
	(void)state;
	struct fg_runqueue *top = begin("default", N4X4);
	struct fg_bubble *around = fake_bubble(NULL, 'a', 3), *b = meet(top, around, 'b', 4, 1),
			 *c = meet(top, around, 'c', 4, 3), *d = meet(top, around, 'd', 2, 5);
	takes_own(top, 4, "d1");
	time_now += 100000;
	thief_gets(top, 4, 60000, "nothing");
	fg_home_end(d);
	expect_home(b, "0-3");
	expect_home(c, "0-3");
	thief_gets(top, 12, 60000, fg_home_of(b).moved ? "b" : "c");
	assert_true(fg_home_of(b).moved != fg_home_of(c).moved);
	fg_home_end(b);
	fg_home_end(c);
	end(top);
}

/* A team of two domains is not pressed into one, although the domain where its member lies has more teams. */
static void
wide_teams_stay(void **state)
{
	(void)state;
	struct fg_runqueue *top = begin("default", N4X4);
	struct fg_bubble *two = fake_bubble(NULL, 'a', 1), *four = fake_bubble(NULL, 'a', 3);
	struct fg_bubble *wide = meet(top, two, 'w', 8, 7), *b = meet(top, four, 'b', 4, 0),
			 *c = meet(top, four, 'c', 4, 0);
	for (unsigned pu = 1; pu < 4; pu++)
		for (unsigned i = 0; i < 2; i++) {
			struct fg_claim claim = {0};
			struct fg_holder *holder = fgomp_queue_holder(fgomp_queue_of_pu(top, pu));
			struct fg_entity *entity = fgomp_holder_first(holder);
			while (entity->bubble == wide)
				entity = fgomp_holder_next(holder, entity);
			fgomp_queue_lock(fgomp_queue_of_pu(top, pu));
			assert_true(fgomp_claim(entity, &claim));
			fgomp_queue_unlock(fgomp_queue_of_pu(top, pu));
		}
	time_now += 100000;
	thief_gets(top, 8, 60000, "nothing");
	expect_home(wide, "0-7");
	expect_text(top, "0:w1 1:w2 2:w3 3:w4 4:w5 5:w6 6:w7");
	fg_home_end(wide);
	fg_home_end(b);
	fg_home_end(c);
	end(top);
}

/* A PU idle for 0.5 ms takes what it has seen before, 0.2 ms ago, if nothing was put there since. While it is not known
 * what that costs, one member goes at a time, until 2 ms are over. Each code's cost is learnt for itself, so teams of
 * these tests have names that no other has. */
static void
lasting_things_go_anywhere(void **state)
{
	(void)state;
	struct fg_runqueue *top = begin("default", N4X4);
	struct fg_bubble *around = fake_bubble(NULL, 'a', 3), *team = meet(top, around, 'l', 3, 5);
	struct fg_entity ready = {.kind = FG_ENTITY_THREAD, .bubble = team};
	expect_text(top, "4:l1 6:l2");
	time_now += 400000;
	thief_gets(top, 0, 499999, "nothing");
	time_now += 200000;
	thief_gets(top, 0, 500000, "nothing");
	/* Another thief has looked since this one looked at the clock. */
	time_now -= 1000;
	thief_gets(top, 0, 1200000, "nothing");
	time_now += 1000 + 199999;
	thief_gets(top, 0, 1200000, "nothing");
	fg_runqueue_push(fgomp_queue_of_pu(top, 6), &ready);
	time_now += 1;
	thief_gets(top, 0, 1200000, "l1");
	thief_gets(top, 0, 1200000, "nothing");
	time_now += 200000;
	thief_gets(top, 9, 1200000, "l*");
	time_now += 1799999;
	thief_gets(top, 9, 1200000, "nothing");
	time_now += 1;
	thief_gets(top, 9, 1200000, "l2");
	fg_home_end(team);
	end(top);
}

/* A grain takes 98 us at home and 298 us away: so long a member must have lain. */
static void
dear_things_go_later(void **state)
{
	(void)state;
	struct fg_runqueue *top = begin("default", N4X4);
	struct fg_bubble *around = fake_bubble(NULL, 'a', 3);
	teach(top, around, 'd', 98000, 298000);
	struct fg_bubble *team = meet(top, around, 'd', 2, 5);
	time_now += 600000;
	thief_gets(top, 0, 500000, "nothing");
	uint64_t away = fg_theft_away(team);
	assert_in_range(away, 298000, 302000);
	time_now += away - 1;
	thief_gets(top, 0, 1200000, "nothing");
	time_now += 1;
	thief_gets(top, 0, 1200000, "d1");
	fg_home_end(team);
	end(top);
}

/* The thread that meets the region has a seat on PU 1, and its last region of the code `last` was moved to the second
 * domain. So many teams are at home in the two domains. */
static const struct {
	char last;
	unsigned first, second;
	const char *home, *text;
} again[] = {
	{'m', 1, 0, "4-7 moved", "4:m1 6:m2 7:m3"},
	/* Nothing would be gained. */
	{'m', 1, 1, "0-3", "0:m1 2:m2 3:m3"},
	{'m', 0, 0, "0-3", "0:m1 2:m2 3:m3"},
	/* Another code. */
	{'x', 1, 0, "0-3", "0:m1 2:m2 3:m3"},
};

static void
moved_teams_begin_there_again(void **state)
{
	(void)state;
	EACH_POLICY(policy)
	for (size_t i = 0; i < sizeof again / sizeof *again; i++) {
		struct fg_runqueue *top = begin(*policy, N4X4);
		struct fg_runqueue *seat = fgomp_queue_of_pu(top, 1), *there = fgomp_queue_of_pu(top, 5);
		struct fg_bubble *team = fake_bubble(fake_bubble(NULL, 'a', 3), 'm', 3);
		bool moves = again[i].second < again[i].first && again[i].last == 'm';
		team->noted = true;
		team->moved_to = 5;
		team->meets.region = (const void *)(uintptr_t)again[i].last;
		fg_store_relaxed(&fg_homes.domain[0].level->teams, again[i].first);
		fg_store_relaxed(&fg_homes.domain[1].level->teams, again[i].second);
		assert_null(fg_policy_born(team, seat, seat));
		expect_home(team, again[i].home);
		expect_text(top, again[i].text);
		assert_ptr_equal(fg_home_follow(team, seat), moves ? there : seat);
		assert_ptr_equal(fg_home_follow(team, there), there);
		fg_home_end(team);
		assert_int_equal(team->moved_to, moves ? 5 : 0);
		fg_store_relaxed(&fg_homes.domain[0].level->teams, 0);
		fg_store_relaxed(&fg_homes.domain[1].level->teams, 0);
		end(top);
	}
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(whole_teams_come),	cmocka_unit_test(even_teams_stay),
		cmocka_unit_test(wide_teams_stay),	cmocka_unit_test(lasting_things_go_anywhere),
		cmocka_unit_test(dear_things_go_later), cmocka_unit_test(moved_teams_begin_there_again),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
