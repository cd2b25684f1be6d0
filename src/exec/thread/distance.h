/* Distance of two workers on the machine (floor: exec; called by team/tasks/pool.c, because members look near them
 * first). The caller is inside or outside, and may hold a lock. These functions only read: the leaf of another worker
 * is a hint. */
#pragma once
#include "exec/thread/worker.h"
#include "machine/level.h"

/* 0: the same worker. Otherwise, with the first common runqueue k levels above the runqueue of a's PU: k + 1. */
static inline unsigned
fg_worker_distance(struct fg_worker *a, struct fg_worker *b)
{
	if (a == b || !a || !b)
		return a != b;
	unsigned distance = 1;
	for (struct fg_runqueue *up = fg_worker_leaf(a); up; up = fg_runqueue_parent(up), distance++)
		for (struct fg_runqueue *other = fg_worker_leaf(b); other; other = fg_runqueue_parent(other))
			if (up == other)
				return distance;
	return distance;
}

#define FG_NEAR_MOST 16

/* Returns the outermost level around the worker's PU that shares a cache and has at most FG_NEAR_MOST PUs, and the
 * distance of the farthest workers below it. NULL: there is none, or the levels are not known. */
static inline struct fg_runqueue *
fg_worker_near(struct fg_worker *worker, unsigned *distance)
{
	struct fg_runqueue *near = NULL;
	struct fg_runqueue *up = worker ? fg_worker_leaf(worker) : NULL;
	for (unsigned at = 1; up && up->n_pus <= FG_NEAR_MOST; up = fg_runqueue_parent(up), at++)
		if (up->kinds & (1u << FG_L3 | 1u << FG_L2)) {
			near = up;
			*distance = at;
		}
	return near;
}
