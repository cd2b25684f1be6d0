/* Live tree: threads of regions in flight that policies send (floor: sched; called by bring.c and by
 * exec/move).
 *
 * The caller holds the lock of the live tree, and no runqueue's lock: one is taken here, and workers are woken. It is
 * inside the runtime, or the monitor. The calls in live_tree.c that look at the tree need its lock, too. */
#pragma once
#include "forest/runqueue.h"

/* As fgomp_thread_send, for a thread that any PU may run. If that has changed a moment ago, the thread stays where it
 * is pinned (exec/loop/ready.c). Returns true. */
bool fg_live_tree_send(struct fg_entity *thread, struct fg_runqueue *level);
/* As fgomp_thread_send, but says nothing where the thread cannot go. */
bool fg_live_tree_try(struct fg_entity *thread, struct fg_runqueue *level);
