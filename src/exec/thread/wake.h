/* Wake: new work finds a worker that sleeps (floor: exec; called by all code that makes work; idle.c has the
 * protocol). */
#pragma once
#include "forest/runqueue.h"
#include "platform/membarrier.h"

struct fg_worker;

/* Wakes the worker. True: it was asleep, or about to be. */
bool fg_wake_worker(struct fg_worker *worker);
/* Wakes one sleeping worker that may take it, if any, after work of this origin was put on this runqueue. NULL: the
 * origin is not known. Both functions contain the full fence that their callers need. */
bool fg_wake_any_slow(struct fg_runqueue *queue, const void *origin);
/* The line that all wakers load and all sleepers write. Nothing else lies there. */
extern struct fg_idle {
	_Alignas(128) struct fg_atomic_u32 sleepers;
} fg_idle __attribute__((visibility("hidden")));
static inline void
fg_wake_any(struct fg_runqueue *queue, const void *origin)
{
	fg_fence_light();
	if (__builtin_expect(fg_load_relaxed(&fg_idle.sleepers) != 0, 0))
		fg_wake_any_slow(queue, origin);
}

/* Set at the first nested region. Before that, idle workers need no free donor to steal with. */
extern struct fg_atomic_u32 fg_donors_wanted __attribute__((visibility("hidden")));
