/* Live: the tree of the bubbles whose regions are in flight, and the threads that run their members (floor: forest;
 * written by team/region, read by the calls of policies). It is kept only where a policy asks for it (`tree` in
 * include/forestgomp/sched.h), because each region then takes a lock three times.
 *
 * A bubble is linked from before its members can run until after its join. Both ends take the lock. So under the lock
 * each linked bubble exists, and so do all bubbles around it: a region ends before the one around it does.
 *
 *     b.live.above == NULL, or b.live.above is linked
 *
 * The thread of a member is a hint: the member may end at any time. But identities are not freed while a region is in
 * flight, so the caller may always read one. */
#pragma once
#include "forest/runqueue.h"

void fg_live_lock(void);
void fg_live_unlock(void);
/* The caller holds the lock. */
bool fg_live_is_mine(void);

/* The bubble of a new region of `size` members, below the bubble of the thread that has met it. Without memory, its
 * members are not known. */
void fg_live_begin(struct fg_bubble *bubble, unsigned size);
void fg_live_end(struct fg_bubble *bubble);
/* The thread begins as this member, or ends as it. An order of a policy to the thread ends with the member. */
void fg_live_member_begin(struct fg_bubble *bubble, unsigned number, struct fg_entity *thread);
void fg_live_member_end(struct fg_bubble *bubble, unsigned number, struct fg_entity *thread);

/* `sent` of a thread that a policy has stopped (exec/loop/stop.h). Nothing lies there. */
extern struct fg_runqueue fg_live_stopped;
/* 1: a policy has stopped some thread, or will. */
extern struct fg_atomic_u32 fg_live_stops;
/* The member has been there and has ended; a hint. */
bool fg_live_is_over_locked(const struct fg_bubble *bubble, unsigned number);

/* In the child of a fork: the first call for the tree, the second for each bubble that the child still has. */
void fg_live_after_fork(void);
void fg_live_forget(struct fg_bubble *bubble);

/* The lock is held. The newest of the bubbles right below `above` (NULL: the outermost bubbles), and the next older
 * one. NULL: there is none. */
struct fg_bubble *fg_live_first_locked(const struct fg_bubble *above);
struct fg_bubble *fg_live_next_locked(const struct fg_bubble *bubble);
/* The thread that runs the member, or has run it and waits; NULL: the member has not begun, or is over, or its number
 * is too large. */
struct fg_entity *fg_live_thread_locked(const struct fg_bubble *bubble, unsigned number);
