/* Entity: what can be scheduled, a thread or a bubble, and the circular lists they lie in (floor: forest).
 *
 * An entity lies in exactly one holder, or in none: then a thread runs or is suspended for something else, a bubble has no member left
 * to be born, or whoever took it out is about to put it somewhere (in transit). */
#pragma once
#include "base/atomic.h"

enum fg_entity_kind {
	FG_ENTITY_THREAD, /* a ready thread */
	FG_ENTITY_MEMBER, /* an unborn thread, set free when its bubble was burst (bubble.h) */
	FG_ENTITY_BUBBLE, /* a bubble with unborn members, or with content */
};

#define FG_NO_PU 0xffffu

struct fg_bubble;
struct fg_holder;
struct fg_time;

struct fg_entity {
	struct fg_entity *prev, *next; /* in the holder's list, under the lock of the runqueue where that lies */
	struct fg_atomic_ptr holder;   /* struct fg_holder, or NULL; changed under the same lock */
	struct fg_bubble
		*bubble; /* a thread's own bubble; a bubble's parent: that of the thread that met the region, or NULL */
	uint8_t kind;	 /* enum fg_entity_kind */
	uint16_t last_pu; /* where it ran last, FG_NO_PU: nowhere yet. A hint */
	float load;	  /* expected work, in any unit; 0: not known */
	unsigned number;  /* a thread's, in its team */
	struct fg_time
		*time; /* a thread's own record; of a bubble, an array of its members'. NULL: not measured (time.h) */
	struct fg_atomic_u32 transit; /* not 0: in whose hands it is, who owes it a holder (sched/hand.c); by that caller */
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
	entity->prev = place;
	entity->next = place->next;
	place->next->prev = entity;
	place->next = entity;
}

static inline void
fg_entity_list_remove(struct fg_entity *entity)
{
	entity->prev->next = entity->next;
	entity->next->prev = entity->prev;
}
