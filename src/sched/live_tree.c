/* The calls of policies on regions in flight and on threads that run (floor: sched; include/forestgomp/sched.h). */
#include "base/log.h"
#include "forest/live.h"
#include "forest/runqueue.h"
#include "forestgomp/sched.h"
#include "sched/decision.h"
#include "sched/live_tree.h"
#include "sched/policy.h"
#include "sched/world.h"

#define EXPORT __attribute__((visibility("default")))

EXPORT void
fgomp_tree_lock(void)
{
	fg_live_lock();
}

EXPORT void
fgomp_tree_unlock(void)
{
	fg_live_unlock();
	if (fg_world.run)
		fg_world.run();
}

EXPORT struct fg_bubble *
fgomp_tree_first(const struct fg_bubble *above)
{
	return fg_live_first_locked(above);
}

EXPORT struct fg_bubble *
fgomp_tree_next(const struct fg_bubble *bubble)
{
	return fg_live_next_locked(bubble);
}

EXPORT unsigned
fgomp_bubble_size(const struct fg_bubble *bubble)
{
	return fg_live_is_mine() ? fg_live_size_locked(bubble) : bubble->size;
}

EXPORT struct fg_entity *
fgomp_bubble_thread(const struct fg_bubble *bubble, unsigned number)
{
	return fg_live_thread_locked(bubble, number);
}

EXPORT bool
fgomp_bubble_member_over(const struct fg_bubble *bubble, unsigned number)
{
	return fg_live_is_over_locked(bubble, number);
}

EXPORT enum fgomp_thread_state
fgomp_thread_state(const struct fg_entity *thread, int *pu)
{
	*pu = fg_world.where ? fg_world.where(thread) : -1;
	if (*pu >= 0)
		return FGOMP_RUNNING;
	return fg_load_relaxed(&thread->holder) ? FGOMP_READY : FGOMP_BLOCKED;
}

static void
count(const struct fg_bubble *bubble, struct fgomp_tree_statistics *sum)
{
	unsigned first = bubble->live.above ? 1 : 0; /* member 0 counts as a thread of the bubble around */
	for (unsigned k = first; k < fg_live_size_locked(bubble); k++) {
		const struct fg_entity *thread = fg_live_thread_locked(bubble, k);
		int pu;
		enum fgomp_thread_state state = thread ? fgomp_thread_state(thread, &pu) : FGOMP_BLOCKED;
		sum->threads++;
		sum->absent += !thread;
		sum->running += thread && state == FGOMP_RUNNING;
		sum->ready += thread && state == FGOMP_READY;
		sum->blocked += thread && state == FGOMP_BLOCKED;
	}
	sum->bubbles++;
	sum->cpu_time += fg_bubble_time(bubble, false);
	for (const struct fg_bubble *in = fg_live_first_locked(bubble); in; in = fg_live_next_locked(in))
		count(in, sum);
}

EXPORT void
fgomp_tree_statistics(const struct fg_bubble *above, struct fgomp_tree_statistics *statistics)
{
	*statistics = (struct fgomp_tree_statistics){0};
	if (above) {
		count(above, statistics);
		statistics->load = (double)fg_entity_load(&above->entity);
		return;
	}
	for (const struct fg_bubble *one = fg_live_first_locked(NULL); one; one = fg_live_next_locked(one)) {
		count(one, statistics);
		statistics->load += (double)fg_entity_load(&one->entity);
	}
}

EXPORT bool
fgomp_thread_may_move(const struct fg_entity *thread)
{
	return thread->kind == FG_ENTITY_THREAD && (!fg_world.may_move || fg_world.may_move(thread));
}

/* A ready thread moves at once; level NULL: it is stopped. false: it is not ready any more, or lies in a bubble. */
static bool
move_ready(struct fg_entity *thread, struct fg_runqueue *level)
{
	struct fg_holder *holder = fg_load_acquire(&thread->holder);
	if (!holder || holder->bubble)
		return false;
	struct fg_runqueue *queue = fg_holder_runqueue(holder);
	if (queue == level)
		return true;
	fg_spinlock_lock(&queue->lock);
	bool lies = fg_load_relaxed(&thread->holder) == holder;
	if (lies)
		fg_holder_remove_locked(holder, thread);
	fg_spinlock_unlock(&queue->lock);
	if (lies && !level)
		fg_world.keep(thread);
	else if (lies) {
		fg_decision_placed(thread, fg_place_of(queue), fg_place_of(level));
		fg_runqueue_push(level, thread);
		fg_world_tell(level);
	}
	return lies;
}

/* A policy may try, so this is told once. */
static void
refuse(const struct fg_entity *thread)
{
	static struct fg_atomic_u32 told;
	if (fg_load_relaxed(&told) || fg_exchange_acq_rel(&told, 1))
		return;
	const char *why = thread->kind != FG_ENTITY_THREAD ? "it is no thread"
			  : fg_world.why_not		   ? fg_world.why_not(thread)
							   : "it may not move";
	fg_error("bubble scheduler %s sends a thread that cannot be sent: %s; fgomp_thread_send returns false, and the "
		 "thread stays (this is told once)",
		 fg_policy.sched->name, why);
}

/* No waker loses the mark: the one that makes this thread ready takes it, and puts the thread on the level then. The
 * mark also ends with the member (forest/live.h), or where the thread is pinned (exec/loop/ready.c). A waker
 * that has looked at the mark before it was set may put the thread where it was. Then the thread lies there at the
 * second look, or it runs there and leaves at its next switch point. */
bool
fg_live_tree_send(struct fg_entity *thread, struct fg_runqueue *level)
{
	if (fg_load_relaxed(&thread->sent) == (void *)&fg_live_stopped) {
		fg_store_relaxed(&thread->level, level); /* it will go on there */
		return true;
	}
	if (move_ready(thread, level))
		return true;
	fg_store_release(&thread->sent, level);
	if (move_ready(thread, level))
		fg_store_relaxed(&thread->sent, NULL);
	else {
		fg_decision_placed(thread, fg_place_of(NULL), fg_place_of(level));
		if (fg_world.hasten)
			fg_world.hasten(thread);
	}
	return true;
}

bool
fg_live_tree_try(struct fg_entity *thread, struct fg_runqueue *level)
{
	if (thread->kind == FG_ENTITY_THREAD && fg_world.move)
		return fg_world.move(thread, level);
	return fgomp_thread_may_move(thread) && fg_live_tree_send(thread, level);
}

EXPORT bool
fgomp_thread_send(struct fg_entity *thread, struct fg_runqueue *level)
{
	bool sent = fg_live_tree_try(thread, level);
	if (!sent)
		refuse(thread);
	return sent;
}

/* As with fgomp_thread_send, a waker may make it ready before it sees the mark. Then it leaves at its next switch
 * point. */
EXPORT bool
fgomp_thread_stop(struct fg_entity *thread)
{
	if (thread->kind != FG_ENTITY_THREAD || !fg_world.stop || !fg_world.stop(thread))
		return false;
	if (!move_ready(thread, NULL))
		fg_world.hasten(thread);
	if (fg_world.put_aside)
		fg_world.put_aside();
	return true;
}

EXPORT void
fgomp_thread_go(struct fg_entity *thread)
{
	if (thread->kind == FG_ENTITY_THREAD && fg_world.go)
		fg_world.go(thread);
}

EXPORT struct fg_runqueue *
fgomp_thread_level(const struct fg_entity *thread)
{
	struct fg_runqueue *sent = fg_load_relaxed(&thread->sent);
	return sent && sent != &fg_live_stopped ? sent : fg_load_relaxed(&thread->level);
}
