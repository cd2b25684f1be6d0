/* The tests of homes and of thefts share made-up machines with homes, and thieves. Time is made up, too. A team of n
 * has members 1 to n - 1 that are not born; the thread that met the region is member 0. */
#pragma once
#include "platform/memory.h"
#include "sched/theft.h"
#include "sched_golden.h"

static uint64_t time_now;

static inline uint64_t
now(void)
{
	return time_now;
}

static inline struct fg_runqueue *
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
static inline struct fg_bubble *
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

static inline void
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

static inline void
write_home(const struct fg_bubble *team, char *text, size_t size)
{
	struct fg_home home = fg_home_of(team);
	if (home.n)
		snprintf(text, size, "%u-%u%s%s", home.first, home.first + home.n - 1, home.lone ? " lone" : "",
			 home.moved ? " moved" : "");
	else
		snprintf(text, size, "none");
}

/* What the PU gets if it has been idle for so long, at its first look outside, wherever that goes. */
static inline struct fg_claim
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
static inline void
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

static inline void
expect_home(const struct fg_bubble *team, const char *expected)
{
	char home[64];
	write_home(team, home, sizeof home);
	assert_string_equal(home, expected);
}

static inline void
expect_text(struct fg_runqueue *top, const char *expected)
{
	char *text = fake_text(top);
	assert_string_equal(text, expected);
	free(text);
}

/* A PU takes what lies there, as it does before it asks a policy. */
static inline void
takes_own(struct fg_runqueue *top, unsigned pu, const char *expected)
{
	struct fg_claim claim = {0};
	char what[32] = "nothing";
	if (fgomp_claim_oldest(fgomp_queue_of_pu(top, pu), true, &claim))
		snprintf(what, sizeof what, "%c%u", fake_name(claim.bubble), claim.member);
	assert_string_equal(what, expected);
}

/* Members of a team of this name take so long at home and away. */
static inline void
teach(struct fg_runqueue *top, struct fg_bubble *around, char name, uint64_t home, uint64_t away)
{
	struct fg_bubble *team = meet(top, around, name, 2, 5);
	takes_own(top, 4, (const char[]){name, '1', '\0'});
	fg_theft_note(team);
	fg_theft_grain(team, false, true, home);
	fg_theft_grain(team, false, false, away);
	fg_home_end(team);
}

static const char *const with_homes[] = {"default", "affinity", "cache", "cache,tuned=yes", "memory"};
#define EACH_POLICY(policy)                                                                                            \
	for (const char *const *policy = with_homes; policy < with_homes + sizeof with_homes / sizeof *with_homes;     \
	     policy++)
