/* A fence with all its cost on one side (floor: platform; used where a hot path and a rare one meet in Dekker's protocol: idle.c,
 * monitor.c, spare.c). light; ...; heavy orders as two full fences would: the kernel makes every running thread of the process pass one.
 *
 * Where the kernel refuses that from the start, the light side makes full fences. Where it refuses later (a sandbox that the program
 * has put itself into; a process that was restored and has lost its registration), light sides may have relied on it a
 * moment ago, and not have passed any fence. Then the heavy side waits for a millisecond, for as long as any of these can be left: what a processor has
 * stored becomes visible to the others in far less. */
#pragma once
#include "base/atomic.h"

extern bool fg_membarrier_usable;

/* When the library is loaded, while there is one thread: it would take milliseconds later. */
void fg_membarrier_start(void);
void fg_fence_heavy_slow(void);
/* Every thread of the process passes a full fence, or what it has stored so far is visible, before this returns: also where the light side is nothing
 * but order for the compiler (spare.c). */
void fg_fence_all_threads(void);
/* In the child: whoever was in the midst of one is not there. */
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
