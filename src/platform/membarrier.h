/* A fence with all its cost on one side (floor: platform; used where a hot path and a rare one meet in Dekker's protocol: idle.c,
 * monitor.c). light; ...; heavy orders as two full fences would: the kernel makes every running thread of the process pass one. */
#pragma once
#include "base/atomic.h"

extern bool fg_membarrier_usable;

/* When the library is loaded, while there is one thread: it would take milliseconds later. */
void fg_membarrier_start(void);
void fg_fence_heavy_slow(void);
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
	if (fg_membarrier_usable)
		fg_fence_heavy_slow();
}
