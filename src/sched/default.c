/* Policy `default` (floor: sched): it places flat teams as `spread`. Nested teams have homes, and thieves keep to them
 * (home.h, rob.h). Where the machine has one domain, bubbles stay where they are met, and it steals as `steal`. Where
 * the program has told loads, they decide as under `cache`. The choice rests on measurements: docs/schedulers.md. */
#include "sched/default.h"

#include "platform/memory.h"
#include "sched/deal.h"
#include "sched/home.h"
#include "sched/policy.h"
#include "sched/rob.h"
#include "sched/steal.h"

static bool
idle(void *self, struct fg_runqueue *leaf, unsigned turn, struct fg_claim *claim)
{
	if (fg_rob_may(self, leaf))
		return fg_rob_idle(self, leaf, turn, claim, false);
	return fg_steal_idle(self, leaf, turn, claim);
}

void
fg_default_place(const void *self, struct fg_bubble *team, struct fg_runqueue *top)
{
	struct fg_deal deal = {.self = self, .level = top, .by_load = team->loads, .back = team->loads};
	deal.one_each = team->loads && fgomp_entity_threads(fgomp_bubble_entity(team)) <= fgomp_queue_n_pus(top);
	fg_deal_bubble(&deal, team, fg_deal_to_pus);
}

/* A team with loads around it has heavy members, perhaps. Such a member has a part of the machine for its teams. */
static struct fg_runqueue *
born(void *self, struct fg_bubble *bubble, struct fg_runqueue *range, struct fg_runqueue *leaf)
{
	const struct fg_bubble *around = bubble->entity.bubble;
	struct fg_home_plan plan;
	if (!fg_home_begin(self, bubble, leaf, around && around->loads ? range->n_pus : 0, &plan) || plan.level == leaf)
		return leaf;
	struct fg_deal deal = {.self = self,
			       .level = plan.level,
			       .taken = plan.leaf,
			       .by_load = bubble->loads,
			       .back = true,
			       .open = plan.open};
	deal.taken_load = fgomp_bubble_member_load(bubble, 0);
	fg_deal_bubble(&deal, bubble, fg_deal_to_pus);
	fg_memory_free(plan.open);
	return NULL;
}

const struct fgomp_sched fg_sched_default = {
	.abi = FGOMP_SCHED_ABI,
	.name = "default",
	.summary = "spread for flat teams; nested teams have homes, and idle PUs take whole teams from far away",
	.born = born,
	.idle = idle,
};
