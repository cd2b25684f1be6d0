/* Fetch: PUs that share a cache take members from a level far above it in turn, and each brings some for those that
 * wait (floor: forest; called by exec/loop/search.c). The lock of such a level would otherwise go from cache to cache
 * once for each member.
 *
 * A *comer* is a caller of fg_fetch from its count in `comers` until it leaves. A caller is inside, perhaps in the
 * preemption handler. It may hold locks that come before the runqueues', and waits for these locks only. */
#pragma once
#include "forest/runqueue.h"

/* A level of several caches: the PU asks it by fg_fetch. */
static inline bool
fg_fetch_suits(const struct fg_runqueue *queue, const struct fg_runqueue *cache)
{
	return cache && cache->n_pus < queue->n_pus;
}

/* fg_runqueue_claim of the newest, ready threads first. `cache` is the domain of the caller's PU, and lies below the
 * queue. The answer may come from another such level than this one. */
bool fg_fetch(struct fg_runqueue *queue, struct fg_runqueue *cache, struct fg_claim *claim);
