/* Runqueue: pushing entities and claiming them (floor: forest). */
#include "forest/runqueue.h"

#include <assert.h>

#include "trace/trace.h"

void
fg_runqueue_init(struct fg_runqueue *queue, struct fg_runqueue *parent, unsigned first_pu, unsigned n_pus)
{
	fg_spinlock_init(&queue->lock, FG_RANK_RUNQUEUE);
	fg_store_relaxed(&queue->n_bubbles, 0);
	fg_store_relaxed(&queue->n_threads, 0);
	fg_entity_list_init(&queue->bubbles);
	fg_entity_list_init(&queue->threads);
	fg_store_relaxed(&queue->parent, parent);
	fg_store_relaxed(&queue->below, NULL);
	queue->first_pu = first_pu;
	queue->n_pus = n_pus;
}

static void
count_add_locked(struct fg_runqueue *queue, const struct fg_entity *entity, uint32_t change)
{
	struct fg_atomic_u32 *count = entity->kind == FG_ENTITY_BUBBLE ? &queue->n_bubbles : &queue->n_threads;
	fg_store_relaxed(count, fg_load_relaxed(count) + change);
}

void
fg_runqueue_push_bubble(struct fg_runqueue *queue, struct fg_bubble *bubble)
{
	fg_spinlock_lock(&queue->lock);
	assert(bubble->born < bubble->size);
	fg_entity_list_insert_after(&queue->bubbles, &bubble->entity);
	fg_store_relaxed(&bubble->entity.holder, queue);
	count_add_locked(queue, &bubble->entity, 1);
	fg_trace(FG_EVENT_put, bubble->number, 0, queue->first_pu, queue->n_pus);
	fg_spinlock_unlock(&queue->lock);
}

void
fg_runqueue_push_thread(struct fg_runqueue *queue, struct fg_entity *thread)
{
	fg_spinlock_lock(&queue->lock);
	fg_entity_list_insert_after(queue->threads.prev, thread);
	fg_store_relaxed(&thread->holder, queue);
	count_add_locked(queue, thread, 1);
	fg_spinlock_unlock(&queue->lock);
}

static void
remove_locked(struct fg_runqueue *queue, struct fg_entity *entity)
{
	fg_entity_list_remove(entity);
	fg_store_relaxed(&entity->holder, NULL);
	count_add_locked(queue, entity, -1u);
}

/* The last unborn member takes the bubble off its runqueue. */
static unsigned
claim_member_locked(struct fg_runqueue *queue, struct fg_bubble *bubble)
{
	assert(bubble->born < bubble->size);
	unsigned member = bubble->born++;
	if (bubble->born == bubble->size) {
		remove_locked(queue, &bubble->entity);
		fg_trace(FG_EVENT_take, bubble->number, 0, queue->first_pu, queue->n_pus);
	}
	return member;
}

static bool
claim_bubble_locked(struct fg_runqueue *queue, enum fg_runqueue_end end, struct fg_claim *claim)
{
	if (fg_entity_list_empty(&queue->bubbles))
		return false;
	claim->bubble = (struct fg_bubble *)(end == FG_NEWEST ? queue->bubbles.next : queue->bubbles.prev);
	claim->member = claim_member_locked(queue, claim->bubble);
	claim->thread = NULL;
	return true;
}

static bool
claim_thread_locked(struct fg_runqueue *queue, struct fg_claim *claim)
{
	if (fg_entity_list_empty(&queue->threads))
		return false;
	claim->bubble = NULL;
	claim->member = 0;
	claim->thread = queue->threads.next;
	remove_locked(queue, claim->thread);
	return true;
}

bool
fg_runqueue_claim(struct fg_runqueue *queue, enum fg_runqueue_end end, bool bubbles_first, struct fg_claim *claim)
{
	if (!fg_runqueue_has_work(queue))
		return false;
	fg_spinlock_lock(&queue->lock);
	bool got = bubbles_first ? claim_bubble_locked(queue, end, claim) || claim_thread_locked(queue, claim)
				 : claim_thread_locked(queue, claim) || claim_bubble_locked(queue, end, claim);
	fg_spinlock_unlock(&queue->lock);
	return got;
}

/* The bubble may move to another runqueue, or leave all of them, until the lock is ours. */
unsigned
fg_bubble_claim(struct fg_bubble *bubble)
{
	for (;;) {
		struct fg_runqueue *queue = fg_load_relaxed(&bubble->entity.holder);
		if (!queue)
			return 0;
		unsigned member = 0;
		fg_spinlock_lock(&queue->lock);
		bool still = fg_load_relaxed(&bubble->entity.holder) == queue;
		if (still)
			member = claim_member_locked(queue, bubble);
		fg_spinlock_unlock(&queue->lock);
		if (still)
			return member;
	}
}
