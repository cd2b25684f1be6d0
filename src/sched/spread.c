/* Policy `spread`, for flat teams: one member per PU along the tree, the same PUs from region to region; a bubble goes to the
 * level whose PUs can take all its members, so that they spread below it (floor: sched). */
#include "sched/policy.h"

static struct fg_runqueue *
submit(struct fg_bubble *bubble, struct fg_runqueue *leaf)
{
	struct fg_runqueue *level = leaf;
	for (struct fg_runqueue *up; level->n_pus < bubble->size && (up = fg_runqueue_parent(level));)
		level = up;
	return level;
}

/* Deals n slots to the children in proportion to their PUs, recursively: neighbours in number stay neighbours in the tree. */
static void
deal(struct fg_runqueue *level, unsigned n, unsigned *pus)
{
	if (n == 0)
		return;
	const struct fg_runqueue_list *below = fg_runqueue_below(level);
	if (!below) {
		for (unsigned i = 0; i < n; i++)
			pus[i] = level->first_pu + i % level->n_pus;
		return;
	}
	unsigned given = 0, seen = 0;
	for (unsigned i = 0; i < below->n; i++) {
		struct fg_runqueue *child = below->queue[i];
		seen += child->n_pus;
		unsigned until = (unsigned)(((unsigned long)n * seen + level->n_pus - 1) / level->n_pus);
		deal(child, until - given, pus + given);
		given = until;
	}
}

static void
place(struct fg_runqueue *machine, unsigned n_slots, unsigned *pus)
{
	deal(machine, n_slots, pus);
}

const struct fg_policy fg_policy_spread = {
	.name = "spread",
	.summary = "members spread over the PUs of the smallest level that holds them all; no stealing across levels",
	.submit = submit,
	.steal = NULL,
	.place = place,
};
