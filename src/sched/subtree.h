/* Subtrees of teams: what moves to another domain as a whole (floor: sched; called by bring.c). The caller holds the
 * lock of the live tree.
 *
 * A team goes with the teams around it and all below these, if the thief's domain has a PU for each of their threads.
 * Else it goes alone, and the others may follow. So a subtree is burst where it has no room as a whole, as in the
 * papers. */
#pragma once
#include "forest/runqueue.h"

/* The team, or the largest subtree about it that is at home there and has room here, if the other domain then keeps as
 * many teams as this one has. */
struct fg_bubble *fg_subtree_about(struct fg_bubble *team, const struct fg_runqueue *there,
				   const struct fg_runqueue *here);
/* All its teams that are at home there are at home here from now on. */
void fg_subtree_change(struct fg_bubble *subtree, const struct fg_runqueue *there, const struct fg_runqueue *here);

/* The bubble lies in the tree, so those around it do. NULL: it lies in none. */
static inline bool
fg_subtree_has(const struct fg_bubble *subtree, const struct fg_bubble *bubble)
{
	while (bubble && bubble != subtree)
		bubble = bubble->entity.bubble;
	return bubble;
}
