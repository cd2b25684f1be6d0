/* Runqueue: the entities that may run on the PUs below one level of the machine (floor: forest; used by sched and
 * exec, mainly by search.c, ready.c, birth.c, wake.c, levels.c and the watchdog, and by api.c, hand.c and live_tree.c).
 * The structure itself is in holder.h, because the files below this one need it.
 *
 * There is one spin lock for each runqueue. It guards the lists of the runqueue, and all bubbles in them with their
 * contents. A look without it may miss a push; the wake-up that follows the push makes up for that. A caller is inside
 * the runtime, or is the monitor or the thread of a policy's daemon; it may hold locks that come before a runqueue's.
 * It may be in the preemption handler. So no function here allocates, or waits for more than the lock. A caller that
 * needs several (a policy that rearranges a part of the machine) takes them in this order: a level before those below
 * it, and those from left to right (fg_spinlock_order). init, below, parent and common take no lock: they are called
 * outside, too, also by team/lock and stuck. */
#pragma once
#include "forest/bubble.h"

struct fg_runqueue_list {
	unsigned n;
	struct fg_runqueue *queue[];
};

/* A leaf is there before the levels above it. levels.c stores these pointers later, with release, while workers
 * search. */
static inline struct fg_runqueue *
fg_runqueue_parent(struct fg_runqueue *queue)
{
	return fg_load_acquire(&queue->parent);
}

static inline const struct fg_runqueue_list *
fg_runqueue_below(struct fg_runqueue *queue)
{
	return fg_load_acquire(&queue->below);
}

/* The innermost level above both, or one of them. */
struct fg_runqueue *fg_runqueue_common(struct fg_runqueue *a, struct fg_runqueue *b);

/* A question for work and its answer. A worker gets an unborn member of a bubble (member > 0), or a ready thread. */
struct fg_claim {
	const void *only;		/* ask only for entities of this origin; NULL: for any */
	bool (*withdrawn)(void *thief); /* true: the caller wants nothing any more; NULL: it never is */
	void *thief;
	struct fg_bubble *bubble;
	unsigned member;
	struct fg_member *freed; /* the member was set free by a burst; NULL: it was in its bubble */
	struct fg_entity *thread;
	struct fg_runqueue *queue; /* where it lay; NULL: a policy has claimed it elsewhere */
	bool threads_only;	   /* the caller has no donor on which a member could run */
};

enum fg_runqueue_end {
	FG_NEWEST, /* for a worker's own work: depth first */
	FG_OLDEST, /* for a thief: the largest piece */
};

/* Clears the answer, so that the caller can ask again. */
static inline void
fg_claim_clear(struct fg_claim *claim)
{
	*claim = (struct fg_claim){.only = claim->only,
				   .withdrawn = claim->withdrawn,
				   .thief = claim->thief,
				   .threads_only = claim->threads_only};
}

#ifndef NDEBUG
/* The answer is nothing, a member or a thread. For an assert, as fg_runqueue_valid_locked. */
bool fg_claim_valid(const struct fg_claim *claim);
bool fg_runqueue_valid_locked(struct fg_runqueue *queue);
#endif

/* Nothing is claimed so far, and something still may be. */
static inline bool
fg_claim_is_open(const struct fg_claim *claim)
{
	assert(fg_claim_valid(claim));
	return !claim->bubble && !claim->thread && !(claim->withdrawn && claim->withdrawn(claim->thief));
}

/* The entity lies on a locked runqueue. fg_bubble_origins.several is set before the first entity of a second root is
 * pushed. So if the entity has another origin than some earlier one, the holder of the lock reads 1. */
static inline bool
fg_claim_suits_locked(const struct fg_claim *claim, const struct fg_entity *entity)
{
	return !claim->only || !fg_load_relaxed(&fg_bubble_origins.several) || fg_entity_origin(entity) == claim->only;
}

/* PUs that are idle; a hint. */
extern struct fg_atomic_u32 fg_runqueue_idlers;
/* The runqueue is that of a PU, which has become idle, or no longer is. */
static inline void
fg_runqueue_mark(struct fg_runqueue *queue, uint32_t idle)
{
	assert(idle <= 1 && queue->n_pus == 1);
	if (fg_load_relaxed(&queue->idle) != idle && fg_exchange_acq_rel(&queue->idle, idle) != idle)
		fg_add_relaxed(&fg_runqueue_idlers, idle ? 1 : -1u);
}

void fg_runqueue_init(struct fg_runqueue *queue, struct fg_runqueue *parent, unsigned first_pu, unsigned n_pus);
/* After the push the caller must not touch the entity, because another worker may have taken it. */
void fg_runqueue_push(struct fg_runqueue *queue, struct fg_entity *entity);
/* Takes something to run. unborn_first: unborn members before ready threads. */
bool fg_runqueue_claim(struct fg_runqueue *queue, enum fg_runqueue_end end, bool unborn_first, struct fg_claim *claim);
bool fg_runqueue_claim_locked(struct fg_runqueue *queue, enum fg_runqueue_end end, bool unborn_first,
			      struct fg_claim *claim);
/* The same from this entity, which lies on the locked runqueue. A bubble gives one of its members, or if all are born
 * an entity that it holds. It leaves the runqueue with the last one. */
void fg_bubble_claim_locked(struct fg_bubble *bubble, struct fg_claim *claim); /* it has unborn members */
void fg_entity_claim_locked(struct fg_entity *entity, enum fg_runqueue_end end, struct fg_claim *claim);
/* Something of this origin lies there. */
bool fg_runqueue_has_of(struct fg_runqueue *queue, const void *origin);

static inline bool
fg_runqueue_has_work(struct fg_runqueue *queue)
{
	return !fg_holder_is_empty(&queue->holder);
}
