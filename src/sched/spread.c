/* Policy `spread`, for flat teams: one member on each PU along the tree, on the same PUs from region to region (floor:
 * sched). A bubble goes to the level that has a PU for each of its members, so that they spread below it. */
#include "sched/deal.h"
#include "sched/decision.h"
#include "sched/policy.h"
#include "sched/spread.h"

struct fg_runqueue *
fg_spread_born(void *self, struct fg_bubble *bubble, struct fg_runqueue *range, struct fg_runqueue *leaf)
{
	(void)range;
	/* The thread that met the region is a member, too. */
	unsigned members = fgomp_entity_threads(fgomp_bubble_entity(bubble)) + 1;
	struct fg_runqueue *level = leaf;
	while (fgomp_queue_n_pus(level) < members && fgomp_queue_above(self, level))
		level = fgomp_queue_parent(level);
	fg_reason(fgomp_queue_n_pus(level) < members ? "no level has a PU for each member"
						     : "the smallest level with a PU for each member");
	return level;
}

/* Entities are dealt in proportion to the PUs of each child, recursively: neighbours in number stay neighbours in the
 * tree. */
static void
place(void *self, struct fg_bubble *team, struct fg_runqueue *top)
{
	struct fg_deal deal = {.self = self, .level = top};
	fg_deal_bubble(&deal, team, fg_deal_to_pus);
}

/* A bubble stays whole, and spreads below the level. */
static void
handed(void *self, const struct fgomp_handed *handed)
{
	struct fg_deal deal = {.self = self};
	for (unsigned i = 0; i < handed->n; i++)
		if (fgomp_entity_bubble(handed->entities[i])) {
			for (unsigned k = 0; k < handed->n; k++)
				fgomp_put(handed->entities[k], handed->level);
			return;
		}
	fg_deal_handed(&deal, handed, fg_deal_to_pus);
}

const struct fgomp_sched fg_sched_spread = {
	.abi = FGOMP_SCHED_ABI,
	.name = "spread",
	.summary = "members spread over the PUs of the smallest level that holds them all; no stealing across levels",
	.place = place,
	.born = fg_spread_born,
	.handed = handed,
};
