/* The `tuned` variant of policy `cache`: PUs of a NUMA node share, so that the heaviest members begin first (floor:
 * sched; used by cache.c). */
#pragma once
#include "sched/policy.h"

/* Shares in each NUMA node that the level touches. taken: the PU of the thread that met the new team, or NULL: that
 * thread counts as lying there. around: the team of that thread; NULL: there is none. The caller is a
 * worker inside, in `born` or `handed` of the policy, without a lock, and with no entity left in its hand. */
void fg_tune(const void *self, struct fg_runqueue *level, const struct fg_runqueue *taken,
	     const struct fg_bubble *around);
