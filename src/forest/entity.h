/* Entity: what can be scheduled, a thread or a bubble, and the circular lists they lie in (floor: forest). */
#pragma once
#include "base/atomic.h"

enum fg_entity_kind { FG_ENTITY_THREAD, FG_ENTITY_BUBBLE };

struct fg_runqueue;

struct fg_entity {
	struct fg_entity *prev, *next; /* in the holder's list, under the holder's lock */
	struct fg_atomic_ptr holder;   /* the runqueue it lies on, or NULL; changed under that runqueue's lock */
	enum fg_entity_kind kind;
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
