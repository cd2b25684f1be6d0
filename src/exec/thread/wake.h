/* Wake: new work finds a worker that sleeps (floor: exec; called by all code that makes work; idle.c has the
 * protocol).
 *
 * A caller is inside the runtime, or has no identity, as the monitor. It may be in the preemption handler. It may hold
 * a bucket of the parking lot or the lock of the live tree, but no runqueue's lock: fg_wake_any_slow may take that.
 * No function here allocates, or waits for more than that lock. */
#pragma once
#include "forest/runqueue.h"
#include "platform/membarrier.h"

struct fg_worker;

/* Wakes the worker. True: it was asleep, or about to be. It contains the full fence that its caller needs. */
bool fg_wake_worker(struct fg_worker *worker);
/* Wakes one sleeping worker that may take it, if any, after work of this origin was put on this runqueue. NULL: the
 * origin is not known. It contains no fence: its caller has made one since the work was put there. fg_wake_any
 * contains the fence. */
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

/* What a root that begins a flat region must see to first. DONORS is set when workers for loose teams are first asked
 * for, and cleared by the shutdown. Before that, idle workers need no free donor to steal with. REPAIR: pages are to be
 * moved (team/samples.h). */
enum { FG_WANTED_DONORS = 1, FG_WANTED_REPAIR = 2 };
extern struct fg_atomic_u32 fg_wanted __attribute__((visibility("hidden")));
