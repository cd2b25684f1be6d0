/* Policies at work: the calls of their functions (floor: sched). */
#include "sched/policy.h"

#include <stdlib.h>

#include "sched/world.h"

struct fg_policy fg_policy = {.sched = &fg_sched_default};
bool fg_policy_steals = true;

static const struct fgomp_sched *
sched_of(const struct fg_policy *policy)
{
	return __builtin_expect(policy->failed, 0) ? &fg_sched_default : policy->sched;
}

struct fg_runqueue *
fg_policy_born_slow(struct fg_policy *policy, struct fg_bubble *bubble, struct fg_runqueue *range, struct fg_runqueue *leaf)
{
	const struct fgomp_sched *sched = sched_of(policy);
	if (!sched->born)
		return leaf;
	fg_policy_hand_take(&bubble->entity);
	struct fg_runqueue *queue = sched->born(policy->self, bubble, range, leaf);
	if (queue)
		fg_policy_hand_put(&bubble->entity);
	fg_policy_hand_empty(policy, leaf);
	return queue;
}

bool
fg_policy_idle(struct fg_runqueue *leaf, unsigned turn, struct fg_claim *claim)
{
	for (struct fg_policy *policy = fg_policy_of(leaf); policy; policy = policy->outer) {
		const struct fgomp_sched *sched = sched_of(policy);
		if (!sched->idle)
			continue;
		bool found = sched->idle(policy->self, leaf, turn, claim);
		fg_policy_hand_empty(policy, leaf);
		if (found)
			return true;
	}
	return false;
}

static bool
all_placed(struct fg_bubble *team)
{
	bool placed = team->born == team->size;
	for (unsigned k = 0; placed && k < team->size; k++)
		placed = fg_load_relaxed(&team->members[k].entity.holder) != NULL;
	return placed;
}

bool
fg_policy_place(struct fg_bubble *team, struct fg_runqueue *top)
{
	struct fg_policy *policy = fg_policy_of(top);
	const struct fgomp_sched *sched = sched_of(policy);
	if (!sched->place)
		sched = &fg_sched_spread;
	fg_policy_hand_take(&team->entity);
	sched->place(policy->self, team, top);
	return fg_policy_hand_empty(policy, top) && all_placed(team);
}
