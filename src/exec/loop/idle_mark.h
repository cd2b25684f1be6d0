/* Idle mark: a worker tells policies that its PU has nothing to do (floor: exec; called by loop.c, where some policy
 * redistributes). The caller is the worker's own thread, inside and without a lock, because a policy is called.
 *
 *     leaf != NULL => this leaf is marked, and this wait has marked it */
#pragma once
#include "forest/runqueue.h"

struct fg_idle_mark {
	struct fg_runqueue *leaf; /* marked as idle; NULL: none is */
	uint64_t since;
	bool told;
};

/* A turn of a wait for work, by a worker that carries threads and sits at this leaf. It holds no lock. spins: false
 * if it will sleep now. */
void fg_idle_mark_turn(struct fg_idle_mark *idling, struct fg_runqueue *leaf, bool spins);
/* The wait is over. The mark goes before the worker takes anything. */
static inline void
fg_idle_mark_end(struct fg_idle_mark *idling)
{
	if (__builtin_expect(idling->leaf != NULL, 0)) {
		fg_runqueue_mark(idling->leaf, 0);
		idling->leaf = NULL;
	}
}
