/* Live: the tree of the bubbles whose regions are in flight, and the threads that run their members (floor: forest;
 * written by exec/nested and team/region, read by the calls of policies; worker.c adds sides, kernel_thread.c takes
 * threads out, and the monitor locks it for slices). It is kept only where a policy asks for it
 * (`tree` in include/forestgomp/sched.h).
 *
 * Regions are many, and policies look seldom. So a thread notes only two things: the innermost bubble that it has met,
 * and the bubble in which it is a member, with its number. A policy that locks the tree makes it out of these notes.
 *
 * A bubble is noted from before its members can run until after its join. Both ends are made under the tree's lock
 * (biased_lock.h). So under the lock each bubble of the tree exists, and so do all bubbles around it: a region ends
 * before the one around it does. A member takes its note back before it drops its reference of the bubble. So
 *
 *     a thread is noted in a bubble => the region of that bubble has not ended, or the thread will not be found in it
 *
 * The thread of a member is a hint: the member may begin or end at any time. But identities do not leave while the lock
 * is held, so the caller may always read one.
 *
 * Callers are inside the runtime, or have no identity: the monitor, and daemons of policies. They hold no lock of rank
 * LIVE or higher. After the unlock the caller runs the threads that were let go, by fg_world.run, as fgomp_tree_unlock
 * and sched/slices.c do. fg_live_lock allocates the records of members under the lock. The functions for notes also
 * clear `sent` and `budget`, and hand `range` down. */
#pragma once
#include "forest/biased_lock.h"
#include "forest/runqueue.h"

/* The notes of a thread. All zero at first. The thread itself writes them. */
struct fg_live_thread {
	struct fg_entity *entity;
	struct fg_bubble *met; /* inside of the lock; those around it that it has met follow by live.outer */
	struct fg_atomic_ptr in;
	struct fg_atomic_u32 number;
	struct fg_live_thread *next, **link; /* the list of all that have noted something */
};

/* The side of a worker, by which its owner enters below. NULL in those calls: the caller has none. */
void fg_live_add(struct fg_biased_side *side);

void fg_live_lock(void);
void fg_live_unlock(void);
/* The caller holds the lock. */
bool fg_live_is_mine(void);

/* The thread has met a region: a bubble of bubble->size members. `number` of the bubble around is the thread. */
void fg_live_begin(struct fg_live_thread *thread, struct fg_entity *entity, struct fg_biased_side *side,
		   struct fg_bubble *bubble, unsigned number);
/* It is the last that the thread has met. Otherwise it was never noted, or forgotten in the child of a fork. */
static inline bool
fg_live_is_noted(const struct fg_live_thread *thread, const struct fg_bubble *bubble)
{
	return thread->met == bubble;
}
void fg_live_end(struct fg_live_thread *thread, struct fg_biased_side *side, struct fg_bubble *bubble);

/* The thread begins as a member other than the first. An order of a policy to the thread ends with the member. */
void fg_live_list(struct fg_live_thread *thread, struct fg_entity *entity);
static inline void
fg_live_member_begin(struct fg_live_thread *thread, struct fg_entity *entity, struct fg_bubble *bubble, unsigned number)
{
	if (__builtin_expect(!thread->link, 0))
		fg_live_list(thread, entity);
	if (__builtin_expect(fg_load_relaxed(&entity->sent) != NULL, 0))
		fg_store_relaxed(&entity->sent, NULL); /* it was sent after it had ended as another member */
	assert(thread->entity == entity);
	struct fg_runqueue *range = fg_load_relaxed(&bubble->entity.range);
	if (__builtin_expect(range != NULL, 0))
		fg_store_relaxed(&entity->range, range);
	fg_own_store_relaxed(&thread->number, number);
	fg_own_store_release(&thread->in, bubble);
}
/* It has ended as the last member that it runs of this bubble, and still holds its reference. */
void fg_live_member_end_slow(struct fg_entity *entity);
static inline void
fg_live_member_end(struct fg_live_thread *thread, struct fg_entity *entity)
{
	assert(thread->entity == entity || !thread->link);
	fg_own_store_relaxed(&thread->in, NULL);
	if (__builtin_expect(fg_load_relaxed(&entity->sent) != NULL, 0))
		fg_live_member_end_slow(entity);
}
/* The thread will not exist any more. */
void fg_live_leave(struct fg_live_thread *thread);

/* `sent` of a thread that a policy has stopped (exec/move/stop.h). Nothing lies there. */
extern struct fg_runqueue fg_live_stopped;
/* The member has been there and has ended; a hint. */
bool fg_live_is_over_locked(const struct fg_bubble *bubble, unsigned number);

/* In the child of a fork: the first call for the tree, the second for each bubble that the child still has. `thread` is
 * the caller's; NULL: it has none. */
void fg_live_after_fork(struct fg_live_thread *thread);
void fg_live_forget(struct fg_bubble *bubble);

/* The lock is held. The first of the bubbles right below `above`, by the numbers of the members that have met them
 * (NULL: the outermost bubbles, newest first), and the next one. NULL: there is none. */
struct fg_bubble *fg_live_first_locked(const struct fg_bubble *above);
struct fg_bubble *fg_live_next_locked(const struct fg_bubble *bubble);
/* It is in the tree. False, too, if the caller does not hold the lock: a budget may be given without it. */
bool fg_live_has_locked(const struct fg_bubble *bubble);
/* Its members; 0: there was no memory to know them. */
unsigned fg_live_size_locked(const struct fg_bubble *bubble);
/* The thread that runs the member, or has run it and waits; NULL: the member has not begun, or is over, or its number
 * is too large. */
struct fg_entity *fg_live_thread_locked(const struct fg_bubble *bubble, unsigned number);
