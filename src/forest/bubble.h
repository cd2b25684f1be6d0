/* Bubble: the entities of one parallel region, populated lazily (floor: forest; design D2). Made by team, born by exec.
 *
 * Invariant, under the holder's lock:  holder != NULL  <=>  born < size.
 * So exactly one claim takes the last unborn member, and that one takes the bubble off its runqueue: afterwards only those
 * who hold a share of `unfinished` may touch it. */
#pragma once
#include "forest/entity.h"

struct fg_bubble {
	struct fg_entity entity;
	unsigned size;	 /* members, the encountering thread included */
	unsigned born;	 /* members born so far; under the holder's lock */
	uint32_t number; /* in a trace; 0: it is in none */
	/* Members whose end is still to come, plus the encountering thread's own share: see exec/birth.c. */
	struct fg_atomic_u32 unfinished;
	/* Explicit tasks of its team that wait to be run: what fg_bubble_tasks asks. NULL: none so far. */
	struct fg_atomic_ptr tasks;
};

/* The first word of what `tasks` points to. */
struct fg_bubble_tasks {
	unsigned (*waiting)(const struct fg_bubble_tasks *tasks);
};

/* A new bubble of `size` members, the first of them (the encountering thread) born already. */
static inline void
fg_bubble_init(struct fg_bubble *bubble, unsigned size)
{
	fg_store_relaxed(&bubble->entity.holder, NULL);
	bubble->entity.kind = FG_ENTITY_BUBBLE;
	bubble->size = size;
	bubble->born = 1;
	fg_store_relaxed(&bubble->unfinished, size);
	fg_store_relaxed(&bubble->tasks, NULL);
}

/* For policies: how many explicit tasks wait in the bubble, about. It reads a line of each member that has made any. Only while the bubble
 * cannot end: under the lock of the runqueue it lies on, or with a share of it. */
static inline unsigned
fg_bubble_tasks(const struct fg_bubble *bubble)
{
	const struct fg_bubble_tasks *tasks = fg_load_acquire(&bubble->tasks);
	return tasks ? tasks->waiting(tasks) : 0;
}

/* Claims an unborn member of a bubble in which the caller holds a share; its number, or 0 if all are born. */
unsigned fg_bubble_claim(struct fg_bubble *bubble);
