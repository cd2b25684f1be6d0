/* Slices: budgets of CPU time that policies give to bubbles (floor: sched; looked at by exec/watch/watchdog.c and
 * sim/overseer.c, ended by team/region).
 *
 * What a bubble has used is the sum over its members and over the live bubbles below: the time in their records, and of
 * a thread that runs the time since it was switched to. A region that ends is unlinked before its time is added to the
 * member that met it. So a sum may be too small for a moment, never too large, and a budget is never told early.
 *
 * fg_slices_look and fg_slices_left take the lock of the live tree, so their callers hold none. They are the monitor,
 * or the overseer. A policy calls fgomp_bubble_set_slice under that lock, or as `born` with this bubble.
 * fg_slices_end is called inside the runtime, without a lock, by the thread that met the region.
 *
 * These functions write `slice` of bubbles and fg_slices_given. They only read the tree and the records of time. A
 * fork clears both in the child (forest/live.c, team/boot/process_fork.c). A policy's function may change the tree. */
#pragma once
#include "forest/runqueue.h"

/* Bubbles with a budget. */
extern struct fg_atomic_u32 fg_slices_given;

/* Tells the policy of budgets that are used up. One thread at a time calls it. true: there are budgets, so the caller
 * must look again soon. `top` is the machine. */
bool fg_slices_look(struct fg_runqueue *top);
/* In so many nanoseconds a budget can be used up at the earliest, if the machine has `n_pus`; UINT64_MAX: there is
 * none. */
uint64_t fg_slices_left(unsigned n_pus);
/* The region is over, and its bubble is not linked any more. */
void fg_slices_end(struct fg_bubble *bubble);
