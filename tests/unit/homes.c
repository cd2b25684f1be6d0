/* Homes of teams, and what a thief may take and when (sched/home.h, rob.h). Machine and time are made up. A team of n
 * has members 1 to n - 1 that are not born; the thread that met the region is member 0. */
#include "platform/memory.h"
#include "sched/theft.h"
#include "sched_golden.h"

static uint64_t time_now;

static uint64_t
now(void)
{
	return time_now;
}

static struct fg_runqueue *
begin(const char *policy, const char *machine)
{
	struct fg_runqueue *top = fake_machine(machine);
	use(policy);
	fg_policies.homes = fg_sched_has_homes(fg_policy.sched);
	fg_homes = (struct fg_homes){0};
	fg_homes_begin(top);
	fg_homes_staff(top->n_pus);
	fg_world.now = now;
	time_now = UINT64_C(1000000000);
	return top;
}

/* A team of so many, in teams of the sizes that are named, is met on this PU. */
static struct fg_bubble *
meet(struct fg_runqueue *top, struct fg_bubble *above, char name, unsigned size, unsigned pu)
{
	struct fg_bubble *team = fake_bubble(above, name, size - 1);
	team->noted = true;
	struct fg_runqueue *leaf = fgomp_queue_of_pu(top, pu), *queue = fg_policy_born(team, leaf, leaf);
	if (queue)
		fg_runqueue_push(queue, &team->entity);
	assert_int_equal(fg_load_relaxed(&fg_policy.failed), 0);
	return team;
}

static void
end(struct fg_runqueue *top)
{
	for (unsigned i = 0; i < fg_homes.n_domains; i++) {
		assert_int_equal(fg_load_relaxed(&fg_homes.domain[i].level->teams), 0);
		assert_int_equal(fg_load_relaxed(&fg_homes.domain[i].level->lone), 0);
	}
	assert_int_equal(fg_load_relaxed(&fg_homes.wide), 0);
	assert_int_equal(fg_load_relaxed(&fg_homes.lone), 0);
	fg_memory_free(fg_homes.domain);
	fg_homes = (struct fg_homes){0};
	fg_policies.homes = false;
	fg_store_relaxed(&fg_policies.later, 0);
	fg_world.now = NULL;
	fake_free(top);
}

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
write_home(const struct fg_bubble *team, char *text, size_t size)
{
	struct fg_home home = fg_home_of(team);
	if (home.n)
		snprintf(text, size, "%u-%u%s%s", home.first, home.first + home.n - 1, home.lone ? " lone" : "",
			 home.moved ? " moved" : "");
	else
		snprintf(text, size, "none");
}

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

/* What the PU gets if it has been idle for so long, at its first look outside, wherever that goes. */
static struct fg_claim
look(struct fg_runqueue *top, unsigned pu, uint64_t idle)
{
	struct fg_runqueue *leaf = fgomp_queue_of_pu(top, pu);
	struct fg_claim claim = {0};
	for (unsigned turn = 1; turn <= fg_homes.n_domains && !claim.bubble && !claim.thread; turn++) {
		if (fgomp_claim_oldest(leaf, true, &claim)) /* a team has come */
			break;
		fg_store_relaxed(&leaf->idle_since, time_now - idle);
		for (struct fg_runqueue *level = leaf; level; level = fg_runqueue_parent(level)) {
			fg_store_relaxed(&level->looked_out, 0);
			fg_store_relaxed(&level->looked_for_teams, 0);
		}
		fg_policy_idle(leaf, turn, &claim);
	}
	all_right(top);
	return claim;
}

/* "b": some member of b. */
static void
thief_gets(struct fg_runqueue *top, unsigned pu, uint64_t idle, const char *expected)
{
	struct fg_claim claim = look(top, pu, idle);
	char what[32] = "nothing";
	if (claim.thread)
		snprintf(what, sizeof what, "%c*", fake_name(claim.thread->bubble));
	else if (claim.bubble)
		snprintf(what, sizeof what, "%c%u", fake_name(claim.bubble), claim.member);
	if (strlen(expected) == 1)
		what[1] = '\0';
	assert_string_equal(what, expected);
}

static void
expect_home(const struct fg_bubble *team, const char *expected)
{
	char home[64];
	write_home(team, home, sizeof home);
	assert_string_equal(home, expected);
}

static void
expect_text(struct fg_runqueue *top, const char *expected)
{
	char *text = fake_text(top);
	assert_string_equal(text, expected);
	free(text);
}

static const char *const with_homes[] = {"default", "affinity", "cache", "cache,tuned=yes", "memory"};
#define EACH_POLICY(policy)                                                                                            \
	for (const char *const *policy = with_homes; policy < with_homes + sizeof with_homes / sizeof *with_homes;     \
	     policy++)

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

/* A PU takes what lies there, as it does before it asks a policy. */
static void
takes_own(struct fg_runqueue *top, unsigned pu, const char *expected)
{
	struct fg_claim claim = {0};
	char what[32] = "nothing";
	if (fgomp_claim_oldest(fgomp_queue_of_pu(top, pu), true, &claim))
		snprintf(what, sizeof what, "%c%u", fake_name(claim.bubble), claim.member);
	assert_string_equal(what, expected);
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

/* Members of a team of this name take so long at home and away. */
static void
teach(struct fg_runqueue *top, struct fg_bubble *around, char name, uint64_t home, uint64_t away)
{
	struct fg_bubble *team = meet(top, around, name, 2, 5);
	takes_own(top, 4, (const char[]){name, '1', '\0'});
	fg_theft_note(team);
	fg_theft_grain(team, false, true, home);
	fg_theft_grain(team, false, false, away);
	fg_home_end(team);
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
		cmocka_unit_test(whole_teams_come),
		cmocka_unit_test(even_teams_stay),
		cmocka_unit_test(wide_teams_stay),
		cmocka_unit_test(lasting_things_go_anywhere),
		cmocka_unit_test(dear_things_go_later),
		cmocka_unit_test(moved_teams_begin_there_again),
		cmocka_unit_test(ready_threads_stay_in_their_home),
		cmocka_unit_test(one_domain),
		cmocka_unit_test(layers),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
