/* Distance of two workers on the machine (floor: exec; called by team/tasks/pool.c, because members look near them
 * first). */
#pragma once
#include "exec/thread/worker.h"

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
