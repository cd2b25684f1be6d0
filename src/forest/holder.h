/* Holder: what entities lie in, a runqueue or a bubble (floor: forest). What lies in a bubble lies, through it, on the runqueue where
 * the outermost such bubble lies: its lock guards all of it. */
#pragma once
#include "forest/entity.h"
#include "trace/trace.h"

struct fg_holder {
	/* How many are in each list: written under the lock, and read without it as hints that are exact under it. */
	struct fg_atomic_u32 n_unborn, n_ready;
	struct fg_atomic_u32 puts; /* so many were ever inserted; likewise */
	struct fg_entity unborn;   /* bubbles, and members set free by a burst; newest first */
	struct fg_entity ready;	   /* ready threads, oldest first */
	struct fg_bubble *bubble;  /* whose content it is; NULL: it is a runqueue's */
};

static inline void
fg_holder_init(struct fg_holder *holder, struct fg_bubble *bubble)
{
	holder->bubble = bubble;
	fg_store_relaxed(&holder->n_unborn, 0);
	fg_store_relaxed(&holder->n_ready, 0);
	fg_store_relaxed(&holder->puts, 0);
	fg_entity_list_init(&holder->unborn);
	fg_entity_list_init(&holder->ready);
}

static inline bool
fg_holder_is_empty(const struct fg_holder *holder)
{
	return (fg_load_relaxed(&holder->n_unborn) | fg_load_relaxed(&holder->n_ready)) == 0;
}

static inline void
fg_holder_count_locked(struct fg_holder *holder, const struct fg_entity *entity, uint32_t change)
{
	struct fg_atomic_u32 *count = entity->kind == FG_ENTITY_THREAD ? &holder->n_ready : &holder->n_unborn;
	fg_store_relaxed(count, fg_load_relaxed(count) + change);
}

/* A trace shows bubbles on runqueues. */
void fg_holder_trace_slow(enum fg_event event, struct fg_holder *holder, const struct fg_entity *entity);
static inline void
fg_holder_trace(enum fg_event event, struct fg_holder *holder, const struct fg_entity *entity)
{
	if (__builtin_expect(fg_trace_on, 0) && entity->kind == FG_ENTITY_BUBBLE && !holder->bubble)
		fg_holder_trace_slow(event, holder, entity);
}

/* Threads in the order in which they became ready, all else newest first. */
static inline void
fg_holder_insert_locked(struct fg_holder *holder, struct fg_entity *entity)
{
	fg_entity_list_insert_after(entity->kind == FG_ENTITY_THREAD ? holder->ready.prev : &holder->unborn, entity);
	fg_store_release(&entity->holder, holder); /* some follow it without the lock, to see where that is */
	fg_holder_count_locked(holder, entity, 1);
	fg_store_relaxed(&holder->puts, fg_load_relaxed(&holder->puts) + 1);
	fg_holder_trace(FG_EVENT_put, holder, entity);
}

static inline void
fg_holder_remove_locked(struct fg_holder *holder, struct fg_entity *entity)
{
	fg_entity_list_remove(entity);
	fg_store_relaxed(&entity->holder, NULL);
	fg_holder_count_locked(holder, entity, -1u);
	fg_holder_trace(FG_EVENT_take, holder, entity);
}
