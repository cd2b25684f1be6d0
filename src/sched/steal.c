/* Policy `steal`, for nested regions: a bubble stays where it was met, on its PU's runqueue (floor: sched). An idle PU
 * looks up the tree level by level, nearest first. It takes a member of the oldest bubble that it finds, because that
 * has most of the tree below it. It takes a ready thread only where there is no bubble.
 *
 * It follows ForestGOMP's NUMA-aware stealing (Broquedis et al., IWOMP 2008, section 3.3). */
#include "sched/decision.h"
#include "sched/policy.h"
#include "sched/steal.h"

static bool
steal_below(struct fg_runqueue *level, struct fg_runqueue *except, unsigned turn, bool threads, struct fg_claim *claim)
{
	if (level == except)
		return false;
	if (fgomp_claim_oldest(level, threads, claim))
		return true;
	/* Thieves start at different victims, or they would all fight for the first. */
	for (unsigned i = 0, n = fgomp_queue_n_children(level); i < n; i++)
		if (steal_below(fgomp_queue_child(level, (i + turn) % n), except, turn, threads, claim))
			return true;
	return false;
}

bool
fg_steal_idle(void *self, struct fg_runqueue *leaf, unsigned turn, struct fg_claim *claim)
{
	for (int threads = 0; threads <= 1; threads++) {
		fg_reason(threads ? "the oldest ready thread, nearest first" : "the oldest bubble, nearest first");
		struct fg_runqueue *done = leaf;
		for (struct fg_runqueue *level = leaf; (level = fgomp_queue_above(self, level)); done = level)
			if (steal_below(level, done, fgomp_queue_first_pu(leaf) + turn, threads, claim))
				return true;
	}
	return false;
}

const struct fgomp_sched fg_sched_steal = {
	.abi = FGOMP_SCHED_ABI,
	.name = "steal",
	.summary = "nested bubbles stay where they were met; idle PUs steal from the nearest, oldest bubbles first",
	.idle = fg_steal_idle,
};
