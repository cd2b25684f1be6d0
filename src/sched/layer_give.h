/* Layer, giving: what was kept for layers is handed over (floor: sched; called by policy.c). */
#pragma once
#include "sched/layer.h"

/* The function has returned, and its hand is empty: the layers distribute what was kept for them. */
void fg_layer_leave_slow(void);
static inline void
fg_layer_leave(void)
{
	if (__builtin_expect(fg_policies.layered, 0))
		fg_layer_leave_slow();
}
