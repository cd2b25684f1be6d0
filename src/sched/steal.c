/* Policy `steal`, for nested regions: a bubble stays where it was met, on its PU's runqueue; an idle PU looks up the tree level
 * by level, nearest first, and takes the oldest bubble it finds, a whole bubble before a single thread (floor: sched).
 *
 * After ForestGOMP's NUMA-aware stealing (Broquedis et al., IWOMP 2008, section 3.3). */
#include "sched/policy.h"

static struct fg_runqueue *
submit(struct fg_bubble *bubble, struct fg_runqueue *leaf)
{
	(void)bubble;
	return leaf;
}

static bool
steal_below(struct fg_runqueue *level, struct fg_runqueue *except, unsigned turn, bool bubbles, struct fg_claim *claim)
{
	if (level == except)
		return false;
	if (bubbles ? fg_load_relaxed(&level->n_bubbles) != 0 : fg_runqueue_has_work(level))
		if (fg_runqueue_claim(level, FG_OLDEST, true, claim))
			return true;
	const struct fg_runqueue_list *below = fg_runqueue_below(level);
	/* Thieves start at different victims, or they would all fight for the first. */
	for (unsigned i = 0; below && i < below->n; i++)
		if (steal_below(below->queue[(i + turn) % below->n], except, turn, bubbles, claim))
			return true;
	return false;
}

static bool
steal(struct fg_runqueue *leaf, unsigned turn, struct fg_claim *claim)
{
	for (int bubbles = 1; bubbles >= 0; bubbles--) {
		struct fg_runqueue *done = leaf;
		for (struct fg_runqueue *level = leaf; (level = fg_runqueue_parent(level)); done = level)
			if (steal_below(level, done, turn, bubbles, claim))
				return true;
	}
	return false;
}

const struct fg_policy fg_policy_steal = {
	.name = "steal",
	.summary = "nested bubbles stay where they were met; idle PUs steal whole bubbles, nearest first",
	.submit = submit,
	.steal = steal,
	.place = NULL,
};
