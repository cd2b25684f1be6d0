/* A fence with all its cost on one side (floor: platform; used where a hot path and a rare one meet in Dekker's
 * protocol: dock.c, help.c, hold.c, idle.c, wake.c, monitor.c, and wait.c and wake.c of team/tasks). light; ...; heavy
 * orders as two full fences would: the kernel makes every running thread of the process pass one.
 *
 * Where the kernel refuses that from the start, the light side makes full fences. The kernel may also refuse later: the
 * program has put itself into a sandbox, or a process was restored and has lost its registration. Then light sides may
 * have relied on it a moment ago, and not have passed any fence. So the heavy side waits for a millisecond, for as long
 * as any such light side can be left. A store of a processor becomes visible to the others in far less.
 *
 * Callers are inside, or have no identity, or enter a wait of the runtime. The heavy side may wait for a millisecond,
 * and holds no lock but that of biased_lock.c. The light side may be called anywhere. */
#pragma once
#include "base/atomic.h"

extern bool fg_membarrier_usable __attribute__((visibility("hidden")));

/* Called when the library is loaded, while there is one thread: it would take milliseconds later. */
void fg_membarrier_start(void);
void fg_fence_heavy_slow(void);
/* Before this returns, every thread of the process passes a full fence, or its stores so far are visible. That holds
 * also where the light side only orders the compiler (hold.c). */
void fg_fence_all_threads(void);
/* In the child: a thread that was making a fence does not exist. */
void fg_membarrier_after_fork(void);

static inline void
fg_fence_light(void)
{
	if (__builtin_expect(fg_membarrier_usable, 1))
		fg_signal_fence();
	else
		fg_fence_seq_cst();
}

static inline void
fg_fence_heavy(void)
{
	fg_fence_seq_cst();
	fg_fence_heavy_slow();
}
