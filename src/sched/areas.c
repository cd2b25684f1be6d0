/* The questions of a policy about memory and counters (floor: sched; include/forestgomp/sched.h). */
#include "memory/area.h"
#include "forestgomp/sched.h"
#include "sched/policy.h"

#define EXPORT __attribute__((visibility("default")))

EXPORT unsigned
fgomp_nodes(void)
{
	return fg_areas_nodes();
}

EXPORT int
fgomp_queue_node(const struct fg_runqueue *queue)
{
	return queue->node < 0 && !fg_policy_is_aside(queue) && fg_areas_nodes() == 1 ? 0 : queue->node;
}

/* ---- Attachments ---- */

/* The entity that the caller asks about; NULL: all. */
struct asked {
	const struct fg_entity *entity;
	bool whole;
};

static bool
is_of_thread(const struct fg_attachment *attachment, const struct fg_entity *thread)
{
	const struct fg_bubble *team = thread->bubble;
	if (attachment->thread == thread)
		return true;
	return team && team->areas && attachment->team == team->areas &&
	       (attachment->member == thread->number || attachment->member == FG_ALL_MEMBERS);
}

/* A name under which areas are attached is a bubble. */
static bool
is_of_bubble(const struct fg_attachment *attachment, const struct fg_bubble *bubble, bool whole)
{
	const struct fg_bubble *team = attachment->team;
	return (bubble->areas && team == bubble->areas) || (whole && fg_entity_is_kin(&team->entity, bubble));
}

static bool
is_asked(const struct fg_attachment *attachment, const struct asked *asked)
{
	if (!asked->entity)
		return true;
	if (asked->entity->kind != FG_ENTITY_BUBBLE)
		return is_of_thread(attachment, asked->entity);
	return is_of_bubble(attachment, (const struct fg_bubble *)asked->entity, asked->whole);
}

/* The area as the entity uses it; false: it does not use it. */
static bool
look_locked(const struct fg_area *area, const struct asked *asked, struct fgomp_area *found)
{
	*found = (struct fgomp_area){.start = (void *)area->start,
				     .bytes = area->end - area->start,
				     .allocated = area->kept != FG_AREA_PASSING};
	for (const struct fg_attachment *attachment = area->first; attachment; attachment = attachment->next)
		if (is_asked(attachment, asked)) {
			found->access |= attachment->access;
			found->attached++;
		}
	return found->attached || !asked->entity;
}

EXPORT unsigned
fgomp_entity_areas(const struct fg_entity *entity, bool whole, struct fgomp_area *areas, unsigned room)
{
	struct asked asked = {entity, whole};
	struct fgomp_area found;
	unsigned n = 0;
	fg_areas_lock();
	for (struct fg_area *area = fg_areas_next_locked(NULL); area; area = fg_areas_next_locked(area)) {
		if (!look_locked(area, &asked, &found))
			continue;
		if (n < room)
			areas[n] = found;
		n++;
	}
	fg_areas_unlock();
	return n;
}

/* ---- Where memory lies ---- */

static bool
is_wanted(const struct fg_area *area, const void *arg)
{
	struct fgomp_area found;
	return look_locked(area, arg, &found);
}

static bool
is_range(const struct fg_area *area, const void *arg)
{
	const struct fgomp_area *range = arg;
	return area->start == (uintptr_t)range->start && area->end - area->start == range->bytes;
}

static size_t
add_locked(const struct fg_area *area, size_t *on_node, unsigned room)
{
	for (unsigned i = 0; i < room && i < fg_areas_nodes(); i++)
		on_node[i] += area->on_node[i];
	return area->end - area->start;
}

static void
clear(size_t *on_node, unsigned room)
{
	for (unsigned i = 0; i < room; i++)
		on_node[i] = 0;
}

EXPORT size_t
fgomp_entity_memory(const struct fg_entity *entity, bool whole, size_t *on_node, unsigned room)
{
	struct asked asked = {entity, whole};
	struct fgomp_area found;
	size_t bytes = 0;
	clear(on_node, room);
	if (room)
		fg_areas_ask(is_wanted, &asked);
	fg_areas_lock();
	for (struct fg_area *area = fg_areas_next_locked(NULL); area; area = fg_areas_next_locked(area))
		if (look_locked(area, &asked, &found))
			bytes += add_locked(area, on_node, room);
	fg_areas_unlock();
	return bytes;
}

EXPORT size_t
fgomp_area_memory(const struct fgomp_area *area, size_t *on_node, unsigned room)
{
	uintptr_t start = (uintptr_t)area->start;
	clear(on_node, room);
	if (room)
		fg_areas_ask(is_range, area);
	fg_areas_lock();
	struct fg_area *known = fg_area_find_locked(start, start + area->bytes);
	size_t bytes = known ? add_locked(known, on_node, room) : 0;
	fg_areas_unlock();
	return bytes;
}

/* ---- Counters ---- */

EXPORT double
fgomp_queue_events(const struct fg_runqueue *queue)
{
	const struct fg_runqueue_list *below = fg_runqueue_below((struct fg_runqueue *)queue);
	uint64_t own = fg_load_relaxed(&queue->events);
	double sum = own ? (double)(own - 1) : -1;
	for (unsigned i = 0; below && i < below->n; i++) {
		double part = fgomp_queue_events(below->queue[i]);
		if (part >= 0)
			sum = part + (sum > 0 ? sum : 0);
	}
	return sum;
}
