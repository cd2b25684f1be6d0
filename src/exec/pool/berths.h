/* Berths: the docks to which the workers are posted, and the PUs that each dock has (floor: exec; called by
 * dock_setup.c). berths.c has the rules. The callers are inside, because the lock of the pool is taken, and its holder
 * must not be preempted. Of a dock that it does not own, a root writes under that lock only `seated` = 0, `replans` and
 * the words about idleness. No caller holds a lock, or is in a signal handler: fg_berths_take may leave the runtime. */
#pragma once
#include "exec/thread/identity.h"

/* Makes the dock's slots, once. False: out of memory. */
bool fg_berths_begin(struct fg_root *root);
/* The root was not refused a moment ago. */
bool fg_berths_may_ask(struct fg_root *root);
/* The caller owns its dock. Posts a worker to each slot from 1 to slots - 1, and takes root->pus for them. PUs that
 * another dock has taken meanwhile are replaced. False: other docks have the PUs or the workers, or the system gives
 * no more threads. Then the dock has no layout. The caller is inside the runtime. While it starts workers or waits, it
 * is outside. */
bool fg_berths_take(struct fg_identity *self, struct fg_root *root, unsigned slots);
/* The caller owns its dock, and the layout has failed or is of no use any more. */
void fg_berths_give_back(struct fg_root *root);
/* The root that could not take its dock, because another thread moves its workers, may try again after this. */
void fg_berths_pass(void);
/* The root has no region in flight, and will have none for a while. Its own pthread calls it as it ends. */
void fg_berths_end(struct fg_root *root);
/* Counts the slots of all layouts. */
unsigned fg_berths_held(void);
/* Owns all docks until fg_berths_open. No root gets workers or a dock meanwhile. False: a region is in flight. */
bool fg_berths_close(void);
void fg_berths_open(void);
/* All docks are closed: posts all workers to fg_hiring.nowhere. */
void fg_berths_clear(void);
/* In the child of a fork. */
void fg_berths_after_fork(struct fg_root *root);
