/* The functions that a policy calls, but for those that ask about the machine (floor: sched;
 * include/forestgomp/sched.h). */
#include <math.h>

#include "forest/live.h"
#include "forest/move.h"
#include "forest/time.h"
#include "forestgomp/sched.h"
#include "platform/memory.h"
#include "sched/decision.h"
#include "sched/layer.h"
#include "sched/policy.h"
#include "sched/world.h"

#define EXPORT __attribute__((visibility("default")))

/* ---- Entities and holders ---- */

EXPORT struct fg_bubble *
fgomp_entity_bubble(struct fg_entity *entity)
{
	return entity->kind == FG_ENTITY_BUBBLE ? fg_entity_bubble(entity) : NULL;
}

EXPORT struct fg_entity *
fgomp_bubble_entity(struct fg_bubble *bubble)
{
	return &bubble->entity;
}

EXPORT struct fg_bubble *
fgomp_entity_parent(const struct fg_entity *entity)
{
	return entity->bubble;
}

EXPORT struct fg_holder *
fgomp_entity_holder(const struct fg_entity *entity)
{
	return fg_load_relaxed(&entity->holder);
}

EXPORT struct fg_runqueue *
fgomp_holder_queue(struct fg_holder *holder)
{
	return holder->bubble ? NULL : fg_holder_runqueue(holder);
}

EXPORT struct fg_holder *
fgomp_queue_holder(struct fg_runqueue *queue)
{
	return &queue->holder;
}

EXPORT struct fg_holder *
fgomp_bubble_holder(struct fg_bubble *bubble)
{
	return bubble->content;
}

EXPORT struct fg_entity *
fgomp_holder_first(struct fg_holder *holder)
{
	return fgomp_holder_next(holder, &holder->ready);
}

EXPORT struct fg_entity *
fgomp_holder_next(struct fg_holder *holder, struct fg_entity *entity)
{
	struct fg_entity *next = entity->next;
	if (next == &holder->ready)
		next = holder->unborn.next;
	return next == &holder->unborn ? NULL : next;
}

EXPORT unsigned
fgomp_entity_threads(const struct fg_entity *entity)
{
	return fg_entity_threads(entity);
}

EXPORT unsigned
fgomp_entity_all(const struct fg_entity *entity)
{
	return fg_entity_all(entity);
}

EXPORT double
fgomp_entity_load(const struct fg_entity *entity)
{
	return (double)fg_entity_load(entity);
}

EXPORT bool
fgomp_entity_load_known(const struct fg_entity *entity)
{
	return entity->load > 0 ||
	       (entity->kind == FG_ENTITY_BUBBLE && ((const struct fg_bubble *)entity)->loads != NULL);
}

EXPORT double
fgomp_bubble_member_load(const struct fg_bubble *bubble, unsigned number)
{
	return bubble->loads && number < bubble->size ? (double)bubble->loads[number] : 0;
}

/* If more than half of the members ran last on one PU, this finds it: the Boyer-Moore vote. */
static int
most_pus(const struct fg_bubble *bubble)
{
	unsigned pu = FG_NO_PU, votes = 0;
	for (unsigned k = 1; k < bubble->size && k < bubble->n_members; k++) {
		unsigned last = bubble->members[k].entity.last_pu;
		if (last == FG_NO_PU)
			continue;
		if (votes == 0)
			pu = last;
		votes += last == pu ? 1 : -1u;
	}
	return pu == FG_NO_PU ? -1 : (int)pu;
}

EXPORT int
fgomp_entity_last_pu(const struct fg_entity *entity)
{
	if (entity->kind == FG_ENTITY_BUBBLE)
		return most_pus((const struct fg_bubble *)entity);
	if (entity->kind == FG_ENTITY_THREAD && fg_world.last)
		return fg_world.last(entity);
	return entity->last_pu == FG_NO_PU ? -1 : entity->last_pu;
}

EXPORT uint64_t
fgomp_entity_cpu_time(const struct fg_entity *entity)
{
	if (entity->kind == FG_ENTITY_BUBBLE)
		return fg_bubble_time((const struct fg_bubble *)entity, true);
	return entity->kind == FG_ENTITY_THREAD && entity->time ? fg_load_relaxed(&entity->time->own) : 0;
}

EXPORT enum fgomp_event
fgomp_events_counted(void)
{
	return (enum fgomp_event)fg_load_relaxed(&fg_policies.events);
}

EXPORT double
fgomp_entity_events(const struct fg_entity *entity, bool whole)
{
	const struct fg_entity *measured = entity->kind == FG_ENTITY_MEMBER ? &entity->bubble->entity : entity;
	if (fgomp_events_counted() == FGOMP_NO_EVENT || !measured->time)
		return NAN;
	if (entity->kind == FG_ENTITY_BUBBLE)
		return (double)fg_bubble_events((const struct fg_bubble *)entity, whole);
	if (entity->kind == FG_ENTITY_MEMBER)
		return 0;
	return (double)(whole ? fg_time_all_events(entity->time) : fg_load_relaxed(&entity->time->own_events));
}

EXPORT int
fgomp_entity_number(const struct fg_entity *entity)
{
	return entity->kind == FG_ENTITY_BUBBLE ? -1 : (int)entity->number;
}

/* ---- Moving ---- */

EXPORT void
fgomp_queue_lock(struct fg_runqueue *queue)
{
	fg_spinlock_lock(&queue->lock);
}

EXPORT void
fgomp_queue_unlock(struct fg_runqueue *queue)
{
	fg_world_unlock(queue);
}

EXPORT void
fgomp_queue_lock_all(struct fg_runqueue *level)
{
	fg_runqueue_lock_all(level);
}

EXPORT void
fgomp_queue_unlock_all(struct fg_runqueue *level)
{
	const struct fg_runqueue_list *below = fg_runqueue_below(level);
	for (unsigned i = 0; below && i < below->n; i++)
		fgomp_queue_unlock_all(below->queue[i]);
	fg_world_unlock(level);
}

/* The outermost entity that holds it, through bubbles: that one lies on a runqueue, or in no holder. */
static struct fg_entity *
outermost(struct fg_entity *entity)
{
	for (struct fg_holder *holder; (holder = fg_load_relaxed(&entity->holder)) && holder->bubble;)
		entity = &holder->bubble->entity;
	return entity;
}

EXPORT void
fgomp_take(struct fg_entity *entity)
{
	struct fg_entity *above = outermost(entity);
	if (__builtin_expect(fg_recording.trace, 0))
		entity->from = fg_decision_where_locked(entity);
	fg_entity_take_locked(entity);
	fg_policy_hand_take(entity);
	if (above != entity && fg_policy_hand_has(above) && fg_bubble_is_empty(fg_entity_bubble(above)))
		fg_policy_hand_put(above);
}

EXPORT void
fgomp_put_locked(struct fg_entity *entity, struct fg_runqueue *queue)
{
	if (!fg_policy_hand_put(entity) || fg_layer_keep(entity, queue))
		return;
	fg_decision_placed(entity, entity->from, fg_place_of(queue));
	fg_holder_insert_locked(&queue->holder, entity);
	queue->owes_wake = true;
}

/* The entity leaves the hand under the lock: see may_gather. */
EXPORT void
fgomp_put(struct fg_entity *entity, struct fg_runqueue *queue)
{
	fg_spinlock_lock(&queue->lock);
	fgomp_put_locked(entity, queue);
	fg_world_unlock(queue);
}

EXPORT bool
fgomp_put_back(struct fg_entity *entity, struct fg_bubble *bubble)
{
	struct fg_entity *above = outermost(&bubble->entity);
	if (!fg_load_relaxed(&above->holder) && !fg_policy_hand_has(above))
		return false;
	if (!fg_entity_is_kin(entity, bubble) || !fg_policy_hand_put(entity))
		return false;
	if (fg_bubble_put_locked(bubble, entity)) {
		fg_decision_placed(entity, entity->from, FG_PLACE_BUBBLE);
		return true;
	}
	fg_policy_hand_take(entity);
	return false;
}

/* A bubble that was burst, or has no member left to be born, lies nowhere and is in no hands. The caller may gather it
 * if it has locked the whole machine. Only one caller can have done so. */
static bool
may_gather(struct fg_bubble *bubble, struct fg_runqueue *level)
{
	struct fg_entity *above = outermost(&bubble->entity);
	struct fg_holder *holder = fg_load_relaxed(&above->holder);
	if (!holder)
		return fg_policy_hand_has(above) ||
		       (above == &bubble->entity && fg_load_acquire(&above->transit) == 0 &&
			!fg_runqueue_parent(level));
	struct fg_runqueue *queue = fg_holder_runqueue(holder);
	while (queue && queue != level)
		queue = fg_runqueue_parent(queue);
	return queue;
}

/* The locks of the runqueues are held, so a thread that is made ready meanwhile has to wait, and lies where it was
 * then. It leaves that PU at its next switch point, because the mark is still there. */
static void
send_running(struct fg_bubble *bubble, struct fg_runqueue *level)
{
	for (unsigned k = bubble->live.above ? 1 : 0; k < fg_live_size_locked(bubble); k++) {
		struct fg_entity *thread = fg_live_thread_locked(bubble, k);
		if (!thread || fg_load_relaxed(&thread->holder) || !fgomp_thread_may_move(thread))
			continue;
		if (fg_load_relaxed(&thread->sent) == (void *)&fg_live_stopped) {
			fg_store_relaxed(&thread->level, level); /* it will go on there */
			continue;
		}
		fg_store_release(&thread->sent, level);
		fg_decision_placed(thread, fg_place_of(NULL), fg_place_of(level));
		if (fg_world.hasten)
			fg_world.hasten(thread);
	}
	for (struct fg_bubble *in = fg_live_first_locked(bubble); in; in = fg_live_next_locked(in))
		send_running(in, level);
}

EXPORT bool
fgomp_bubble_gather(struct fg_bubble *bubble, struct fg_runqueue *level)
{
	if (!may_gather(bubble, level))
		return false;
	bool lay_nowhere = !fg_load_relaxed(&bubble->entity.holder) && !fg_policy_hand_has(&bubble->entity);
	bool whole = fg_bubble_gather_locked(bubble, level);
	if (fg_live_is_mine() && fg_live_has_locked(bubble))
		send_running(bubble, level);
	if (__builtin_expect(fg_recording.trace, 0))
		fg_decision_trace(FG_EVENT_gather, &bubble->entity, fg_place_of(level),
				  whole ? (uint32_t)FG_PLACE_BUBBLE : fg_place_of(level));
	if (!lay_nowhere)
		return whole;
	if (fg_bubble_is_empty(bubble))
		return false;
	fg_decision_took(&bubble->entity, FG_PLACE_NOWHERE);
	fg_policy_hand_take(&bubble->entity);
	return whole;
}

EXPORT unsigned
fgomp_bubble_entities(const struct fg_bubble *bubble)
{
	return fg_bubble_entities(bubble);
}

EXPORT unsigned
fgomp_bubble_burst(struct fg_bubble *bubble, struct fg_entity **free)
{
	unsigned n = fg_bubble_burst(bubble, free);
	if (n && __builtin_expect(fg_recording.trace, 0))
		fg_decision_trace(FG_EVENT_burst, &bubble->entity, bubble->entity.from, FG_PLACE_NOWHERE);
	if (n)
		fg_policy_hand_burst(bubble, free, n);
	return n;
}

/* Members that begin later get it from their bubble (forest/live.c). */
static void
set_ranges(const struct fg_bubble *bubble, struct fg_runqueue *level)
{
	for (unsigned k = bubble->live.above ? 1 : 0; fg_live_is_mine() && k < fg_live_size_locked(bubble); k++) {
		struct fg_entity *thread = fg_live_thread_locked(bubble, k);
		if (thread)
			fg_store_relaxed(&thread->range, level);
	}
}

EXPORT void
fgomp_entity_set_range(struct fg_entity *entity, struct fg_runqueue *level)
{
	if (entity->kind == FG_ENTITY_BUBBLE)
		set_ranges(fg_entity_bubble(entity), level);
	fg_store_relaxed(&entity->range, level);
	if (__builtin_expect(fg_recording.trace, 0))
		fg_decision_trace(FG_EVENT_range, entity, entity->from, fg_place_of(level));
}

EXPORT struct fg_runqueue *
fgomp_entity_range(const struct fg_entity *entity)
{
	return fg_load_relaxed(&entity->range);
}

/* ---- Claims ---- */

EXPORT bool
fgomp_claim(struct fg_entity *entity, struct fg_claim *claim)
{
	if (!fg_claim_suits_locked(claim, entity) || !fg_claim_is_open(claim))
		return false;
	if (__builtin_expect(fg_recording.trace, 0))
		fg_decision_claimed_slow(fg_decision_where_locked(entity));
	fg_entity_claim_locked(entity, FG_OLDEST, claim);
	return true;
}

EXPORT bool
fgomp_claim_oldest(struct fg_runqueue *queue, bool threads, struct fg_claim *claim)
{
	if ((threads ? !fg_runqueue_has_work(queue) : fg_load_relaxed(&queue->holder.n_unborn) == 0) ||
	    !fg_claim_is_open(claim))
		return false;
	bool claimed = fg_runqueue_claim(queue, FG_OLDEST, true, claim);
	if (claimed)
		fg_decision_claimed(queue);
	return claimed;
}

/* ---- The world ---- */

EXPORT uint64_t
fgomp_sched_now(void)
{
	return fg_world.now ? fg_world.now() : 0;
}

EXPORT void *
fgomp_memory_get(size_t size)
{
	return fg_memory_get(size);
}

EXPORT void
fgomp_memory_free(void *memory)
{
	fg_memory_free(memory);
}

EXPORT uint64_t
fgomp_sched_random(void)
{
	return fg_world.random ? fg_world.random() : 0;
}
