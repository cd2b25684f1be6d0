/* Live tree: threads of regions in flight that policies send (floor: sched; called by rearrange.c, and as
 * fgomp_thread_send). */
#pragma once
#include "forest/runqueue.h"

/* As fgomp_thread_send, for threads that any PU may run only. false: this is none, perhaps since a moment ago. */
bool fg_live_tree_send(struct fg_entity *thread, struct fg_runqueue *level);
