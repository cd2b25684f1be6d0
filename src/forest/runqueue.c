/* Runqueue: pushing entities and claiming them (floor: forest). runqueue.h has the callers, the locks and what is
 * guarded. */
#include "forest/runqueue.h"

#include <assert.h>

struct fg_atomic_u32 fg_runqueue_idlers;

void
fg_runqueue_init(struct fg_runqueue *queue, struct fg_runqueue *parent, unsigned first_pu, unsigned n_pus)
{
	assert(!parent || (parent->first_pu <= first_pu && first_pu + n_pus <= parent->first_pu + parent->n_pus));
	fg_spinlock_init(&queue->lock, FG_RANK_RUNQUEUE);
	/* The machine comes first, also where it has one PU. A runqueue put aside (no PU) comes last. */
	fg_spinlock_order(&queue->lock, (uint64_t)first_pu << 32 | (parent || n_pus == 0 ? UINT32_MAX - n_pus : 0));
	fg_holder_init(&queue->holder, NULL);
	queue->fetch = (struct fg_fetch){.lock = FG_SPINLOCK_INIT(FG_RANK_FETCH)};
	fg_store_relaxed(&queue->parent, parent);
	fg_store_relaxed(&queue->below, NULL);
	queue->first_pu = first_pu;
	queue->n_pus = n_pus;
	queue->kinds = 0;
	queue->cpu = UINT32_MAX;
	queue->away_news = false;
	fg_store_relaxed(&queue->away, 0);
	fg_store_relaxed(&queue->idle, 0);
	queue->node = -1;
	queue->domain = NULL;
	fg_store_relaxed(&queue->teams, 0);
	fg_store_relaxed(&queue->lone, 0);
	fg_store_relaxed(&queue->looked_out, 0);
	fg_store_relaxed(&queue->looked_for_teams, 0);
	fg_store_relaxed(&queue->wished, 0);
	fg_store_relaxed(&queue->idle_since, 0);
	fg_store_relaxed(&queue->awaits, 0);
	fg_store_relaxed(&queue->seen_since, 0);
	fg_store_relaxed(&queue->seen_puts, 0);
	fg_store_relaxed(&queue->events, 0);
	fg_own_store_relaxed(&queue->policy, parent ? fg_own_load_relaxed(&parent->policy) : NULL);
	queue->copy_of = NULL;
	queue->quiet = parent && parent->quiet;
	queue->owes_wake = false;
	queue->aside_next = NULL;
	queue->stuck_since = 0;
	queue->stuck = NULL;
}

struct fg_runqueue *
fg_runqueue_common(struct fg_runqueue *a, struct fg_runqueue *b)
{
	while (a && !(a->first_pu <= b->first_pu && b->first_pu + b->n_pus <= a->first_pu + a->n_pus))
		a = fg_runqueue_parent(a);
	return a;
}

void
fg_runqueue_push(struct fg_runqueue *queue, struct fg_entity *entity)
{
	fg_spinlock_lock(&queue->lock);
	fg_holder_insert_locked(&queue->holder, entity);
	assert(fg_runqueue_valid_locked(queue));
	fg_spinlock_unlock(&queue->lock);
}

static struct fg_holder *
holder_of(const struct fg_entity *entity)
{
	return fg_load_relaxed(&entity->holder);
}

void
fg_bubble_claim_locked(struct fg_bubble *bubble, struct fg_claim *claim)
{
	assert(fg_bubble_valid(bubble));
	claim->bubble = bubble;
	claim->member = fg_bubble_born_locked(bubble);
	claim->freed = NULL;
	claim->thread = NULL;
	assert(fg_claim_valid(claim));
}

static struct fg_entity *
end_of(struct fg_entity *list, enum fg_runqueue_end end)
{
	return end == FG_NEWEST ? list->next : list->prev;
}

/* Goes down to a member or a thread. A bubble's own members come before what else it holds. */
static struct fg_entity *
inside(struct fg_entity *entity, enum fg_runqueue_end end)
{
	while (entity->kind == FG_ENTITY_BUBBLE) {
		struct fg_bubble *bubble = fg_entity_bubble(entity);
		if (bubble->born < bubble->size)
			break;
		struct fg_holder *content = bubble->content;
		assert(fg_bubble_has_content(bubble));
		entity = fg_load_relaxed(&content->n_ready) ? content->ready.next : end_of(&content->unborn, end);
	}
	return entity;
}

void
fg_entity_claim_locked(struct fg_entity *entity, enum fg_runqueue_end end, struct fg_claim *claim)
{
	entity = inside(entity, end);
	if (entity->kind == FG_ENTITY_BUBBLE) {
		fg_bubble_claim_locked(fg_entity_bubble(entity), claim);
		return;
	}
	struct fg_holder *holder = holder_of(entity);
	fg_holder_remove_locked(holder, entity);
	fg_bubble_leave_locked(holder->bubble);
	bool unborn = entity->kind == FG_ENTITY_MEMBER;
	claim->bubble = unborn ? entity->bubble : NULL;
	claim->member = unborn ? entity->number : 0;
	claim->freed = unborn ? fg_entity_member(entity) : NULL;
	claim->thread = unborn ? NULL : entity;
	assert(fg_claim_valid(claim) && !fg_load_stable(&entity->holder));
}

/* The first entity in the list that suits the claim; NULL: there is none. */
static struct fg_entity *
first_of(struct fg_entity *list, enum fg_runqueue_end end, const struct fg_claim *claim)
{
	struct fg_entity *entity = end_of(list, end);
	while (entity != list && !fg_claim_suits_locked(claim, entity))
		entity = end_of(entity, end);
	return entity == list ? NULL : entity;
}

static bool
claim_unborn_locked(struct fg_runqueue *queue, enum fg_runqueue_end end, struct fg_claim *claim)
{
	assert(fg_spinlock_held(&queue->lock));
	struct fg_entity *entity = claim->threads_only ? NULL : first_of(&queue->holder.unborn, end, claim);
	if (!entity)
		return false;
	if (entity->kind == FG_ENTITY_BUBBLE && fg_entity_bubble(entity)->born < fg_entity_bubble(entity)->size)
		fg_bubble_claim_locked(fg_entity_bubble(entity), claim);
	else
		fg_entity_claim_locked(entity, end, claim);
	return true;
}

static bool
claim_ready_locked(struct fg_runqueue *queue, struct fg_claim *claim)
{
	struct fg_entity *oldest = first_of(&queue->holder.ready, FG_NEWEST, claim); /* this list begins with the
										      * oldest */
	if (!oldest)
		return false;
	fg_entity_claim_locked(oldest, FG_OLDEST, claim);
	return true;
}

bool
fg_runqueue_has_of(struct fg_runqueue *queue, const void *origin)
{
	const struct fg_claim claim = {.only = origin};
	fg_spinlock_lock(&queue->lock);
	bool has =
		first_of(&queue->holder.ready, FG_NEWEST, &claim) || first_of(&queue->holder.unborn, FG_NEWEST, &claim);
	fg_spinlock_unlock(&queue->lock);
	return has;
}

bool
fg_runqueue_claim_locked(struct fg_runqueue *queue, enum fg_runqueue_end end, bool unborn_first, struct fg_claim *claim)
{
	bool got = unborn_first ? claim_unborn_locked(queue, end, claim) || claim_ready_locked(queue, claim)
				: claim_ready_locked(queue, claim) || claim_unborn_locked(queue, end, claim);
	if (got)
		claim->queue = queue;
	assert(got == (claim->bubble || claim->thread) && fg_runqueue_valid_locked(queue));
	return got;
}

bool
fg_runqueue_claim(struct fg_runqueue *queue, enum fg_runqueue_end end, bool unborn_first, struct fg_claim *claim)
{
	assert(!claim->bubble && !claim->thread);
	if (!fg_runqueue_has_work(queue))
		return false;
	fg_spinlock_lock(&queue->lock);
	bool got = fg_runqueue_claim_locked(queue, end, unborn_first, claim);
	fg_spinlock_unlock(&queue->lock);
	return got;
}

#ifndef NDEBUG
bool
fg_claim_valid(const struct fg_claim *claim)
{
	assert(!claim->bubble || !claim->thread);
	assert(!claim->bubble || claim->member > 0);
	assert(!claim->bubble || !claim->threads_only);
	assert(!claim->freed ||
	       (claim->freed->entity.bubble == claim->bubble && claim->freed->entity.number == claim->member));
	assert(!claim->thread || claim->thread->kind == FG_ENTITY_THREAD);
	return true;
}

bool
fg_runqueue_valid_locked(struct fg_runqueue *queue)
{
	assert(fg_spinlock_held(&queue->lock));
	assert(!queue->holder.bubble && fg_holder_valid(&queue->holder));
	assert(queue->n_pus > 0 || queue->quiet);
	assert(fg_load_stable(&queue->away) <= 1 && fg_load_stable(&queue->idle) <= 1);
	return true;
}
#endif
