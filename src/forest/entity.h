/* Entity: a thread or a bubble, which can be scheduled, and the circular lists that entities lie in (floor: forest;
 * used by forest, sched and exec).
 *
 * An entity lies in exactly one holder, or in none. It lies in none in three cases:
 * - a thread runs, or is suspended for something else;
 * - a bubble has no member left to be born and no content, or is never put (a kernel team's);
 * - the caller that took the entity out will put it somewhere (it is in transit).
 *
 * The lock of the runqueue on which the entity lies guards its links, or the caller that has it in transit owns them.
 * The atomic words may be read by any thread, as hints.
 *
 * Unless a file of forest says more, its caller is inside, perhaps in the preemption handler, or has no identity. It
 * may hold locks that come before a runqueue's (docs/design.md, "Who calls"). */
#pragma once
#include <assert.h>

#include "base/atomic.h"

enum fg_entity_kind {
	FG_ENTITY_THREAD, /* a ready thread */
	FG_ENTITY_MEMBER, /* an unborn thread, set free when its bubble was burst (bubble.h) */
	FG_ENTITY_BUBBLE, /* a bubble with unborn members, or with content */
};

#define FG_NO_PU 0xffffu

struct fg_bubble;
struct fg_holder;
struct fg_runqueue;
struct fg_time;

struct fg_entity {
	struct fg_entity *prev, *next; /* in the holder's list, under the lock of the runqueue where that lies */
	struct fg_atomic_ptr holder;   /* struct fg_holder, or NULL; changed under the same lock */
	/* A thread's own bubble. A bubble's parent: the bubble of the thread that met the region, or NULL. */
	struct fg_bubble *bubble;
	/* A thread's: the innermost region of more than one member that it has met (struct fg_bubble), where teams have
	 * homes. NULL: none, so it works for its own bubble. The thread writes it; for others it is a hint while the
	 * thread runs. */
	struct fg_atomic_ptr met;
	uint8_t kind;	  /* enum fg_entity_kind */
	uint16_t last_pu; /* where it ran last; FG_NO_PU: nowhere yet. A hint */
	float load;	  /* expected work, in any unit; 0: not known */
	unsigned number;  /* a thread's number in its team */
	uint32_t from;	  /* for a trace: where it lay when it was last taken (trace/decision.h) */
	/* A thread's: the runqueue where it goes when it becomes ready, because it was taken from there. NULL: its
	 * PU's. A PU's: it was stolen from there, and goes back. The worker that takes the thread writes it. */
	struct fg_atomic_ptr level;
	/* A thread's: the runqueue to which a policy has sent it. It leaves its PU at its next switch point. The thread
	 * that makes it ready takes this value, and sets it to NULL. */
	struct fg_atomic_ptr sent;
	/* A thread's or a member's: the level that a policy gave to it alone; NULL: none (sched/policy.h). */
	struct fg_atomic_ptr range;
	/* A thread's own record; a bubble's array of the records of its members. NULL: not measured (time.h). */
	struct fg_time *time;
	/* Not 0: the number of the caller that has the entity in hand and owes it a holder (sched/hand.c). That caller
	 * writes it. */
	struct fg_atomic_u32 transit;
};

static inline void
fg_entity_list_init(struct fg_entity *head)
{
	head->prev = head->next = head;
}

static inline bool
fg_entity_list_empty(const struct fg_entity *head)
{
	return head->next == head;
}

static inline void
fg_entity_list_insert_after(struct fg_entity *place, struct fg_entity *entity)
{
	assert(place->next->prev == place && place->prev->next == place);
	entity->prev = place;
	entity->next = place->next;
	place->next->prev = entity;
	place->next = entity;
}

static inline void
fg_entity_list_remove(struct fg_entity *entity)
{
	assert(entity->prev->next == entity && entity->next->prev == entity);
	entity->prev->next = entity->next;
	entity->next->prev = entity->prev;
}
