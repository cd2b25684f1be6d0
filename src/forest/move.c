/* Moving entities between holders (floor: forest); see move.h. */
#include "forest/move.h"

#include <assert.h>

#include "platform/memory.h"

void
fg_runqueue_lock_all(struct fg_runqueue *level)
{
	fg_spinlock_lock(&level->lock);
	const struct fg_runqueue_list *below = fg_runqueue_below(level);
	for (unsigned i = 0; below && i < below->n; i++)
		fg_runqueue_lock_all(below->queue[i]);
}

void
fg_entity_take_locked(struct fg_entity *entity)
{
	struct fg_holder *holder = fg_load_relaxed(&entity->holder);
	assert(holder);
	fg_holder_remove_locked(holder, entity);
	fg_bubble_leave_locked(holder->bubble);
}

static bool
content_make(struct fg_bubble *bubble)
{
	assert(fg_bubble_valid(bubble));
	if (bubble->content)
		return true;
	bubble->content = fg_memory_get(sizeof *bubble->content);
	if (!bubble->content)
		return false;
	fg_holder_init(bubble->content, bubble);
	return true;
}

bool
fg_bubble_put_locked(struct fg_bubble *bubble, struct fg_entity *entity)
{
	assert(fg_entity_is_kin(entity, bubble));
	assert(!fg_load_stable(&entity->holder) && entity != &bubble->entity);
	if (!content_make(bubble))
		return false;
	fg_holder_insert_locked(bubble->content, entity);
	return true;
}

/* Takes the bubble's kin from the list. They are chained by `next`. */
static struct fg_entity *
kin_take(const struct fg_bubble *bubble, struct fg_entity *list, struct fg_entity *kin)
{
	struct fg_entity *newer;
	for (struct fg_entity *entity = list->next; entity != list; entity = newer) {
		newer = entity->next;
		if (entity == &bubble->entity || !fg_entity_is_kin(entity, bubble))
			continue;
		fg_holder_remove_locked(fg_load_relaxed(&entity->holder), entity);
		entity->next = kin;
		kin = entity;
	}
	return kin;
}

static struct fg_entity *
kin_take_all(const struct fg_bubble *bubble, struct fg_runqueue *level, struct fg_entity *kin)
{
	assert(fg_runqueue_valid_locked(level));
	kin = kin_take(bubble, &level->holder.unborn, kin);
	kin = kin_take(bubble, &level->holder.ready, kin);
	const struct fg_runqueue_list *below = fg_runqueue_below(level);
	for (unsigned i = 0; below && i < below->n; i++)
		kin = kin_take_all(bubble, below->queue[i], kin);
	return kin;
}

/* The innermost bubble above the entity that lies in `bubble` by now, or `bubble` itself. */
static struct fg_bubble *
home_of(const struct fg_entity *entity, struct fg_bubble *bubble)
{
	for (struct fg_bubble *above = entity->bubble; above != bubble; above = above->entity.bubble)
		for (struct fg_holder *holder = fg_load_relaxed(&above->entity.holder); holder && holder->bubble;
		     holder = fg_load_relaxed(&holder->bubble->entity.holder))
			if (holder->bubble == bubble)
				return above;
	return bubble;
}

static bool
contents_make(struct fg_bubble *bubble, const struct fg_entity *kin)
{
	for (; kin; kin = kin->next)
		for (struct fg_bubble *above = kin->bubble; above != bubble; above = above->entity.bubble)
			if (!content_make(above))
				return false;
	return content_make(bubble);
}

bool
fg_bubble_gather_locked(struct fg_bubble *bubble, struct fg_runqueue *level)
{
	struct fg_entity *kin = kin_take_all(bubble, level, NULL);
	bool room = contents_make(bubble, kin);
	/* A bubble comes before the entities that will lie in it. */
	for (unsigned depth = bubble->depth; kin; depth++)
		for (struct fg_entity **link = &kin, *entity; (entity = *link);) {
			assert(entity->bubble->depth >= depth);
			if (entity->bubble->depth != depth) {
				link = &entity->next;
				continue;
			}
			*link = entity->next;
			struct fg_holder *holder = room ? home_of(entity, bubble)->content : &level->holder;
			fg_holder_insert_locked(holder, entity);
		}
	return room;
}
