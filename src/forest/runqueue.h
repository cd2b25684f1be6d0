/* Runqueue: the entities that may run on the PUs below one level of the machine (floor: forest; used by sched and exec).
 *
 * One spin lock per runqueue, never two at a time. The two counts may be read without it: hints that are exact
 * under the lock. */
#pragma once
#include "base/spinlock.h"
#include "forest/bubble.h"

struct fg_runqueue {
	_Alignas(64) struct fg_spinlock lock;
	struct fg_atomic_u32 n_bubbles, n_threads; /* written under the lock */
	struct fg_entity bubbles;		   /* bubbles with unborn members, newest first */
	struct fg_entity threads;		   /* ready threads, oldest first */
	/* The tree starts flat, a machine and its PUs, and gets its inner levels when a question first depends on them. */
	_Alignas(64) struct fg_atomic_ptr parent; /* NULL at the machine */
	struct fg_atomic_ptr below;		  /* struct fg_runqueue_list; NULL at a PU */
	unsigned first_pu, n_pus;		  /* PUs below: logical numbers */
};

struct fg_runqueue_list {
	unsigned n;
	struct fg_runqueue *queue[];
};

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

/* What a worker got: an unborn member of a bubble (member > 0), or a ready thread. */
struct fg_claim {
	struct fg_bubble *bubble;
	unsigned member;
	struct fg_entity *thread;
};

enum fg_runqueue_end {
	FG_NEWEST, /* one's own work: depth first */
	FG_OLDEST, /* a thief's: the largest piece */
};

void fg_runqueue_init(struct fg_runqueue *queue, struct fg_runqueue *parent, unsigned first_pu, unsigned n_pus);
void fg_runqueue_push_bubble(struct fg_runqueue *queue, struct fg_bubble *bubble);
void fg_runqueue_push_thread(struct fg_runqueue *queue, struct fg_entity *thread);
/* Takes something to run. bubbles_first: unborn members before ready threads. */
bool fg_runqueue_claim(struct fg_runqueue *queue, enum fg_runqueue_end end, bool bubbles_first, struct fg_claim *claim);

static inline bool
fg_runqueue_has_work(struct fg_runqueue *queue)
{
	return (fg_load_relaxed(&queue->n_bubbles) | fg_load_relaxed(&queue->n_threads)) != 0;
}
