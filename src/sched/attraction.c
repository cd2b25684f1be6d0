/* Attraction (floor: sched): see attraction.h. */
#include "sched/attraction.h"

#include "forest/bubble.h"
#include "memory/area.h"
#include "platform/memory.h"

/* The name under which the areas of the entity's team are attached; NULL: none are. */
static const void *
name_of(const struct fg_entity *entity)
{
	const struct fg_bubble *team = entity->kind == FG_ENTITY_BUBBLE ? NULL : entity->bubble;
	return team ? team->areas : NULL;
}

static bool
is_of_team(const struct fg_area *area, const void *name)
{
	const struct fg_attachment *attachment = area->first;
	while (attachment && attachment->team != name)
		attachment = attachment->next;
	return attachment;
}

static bool
concerns(const struct fg_attachment *attachment, const struct fg_entity *entity)
{
	return attachment->team == name_of(entity) &&
	       (attachment->member == FG_ALL_MEMBERS || attachment->member == entity->number);
}

/* Threads of one team mostly, and few areas. */
static void
add_locked(struct fg_attraction *attraction, const void *name, struct fg_entity *const *entities, unsigned n)
{
	for (const struct fg_attachment *one = fg_attached_next_locked(name, NULL); one;
	     one = fg_attached_next_locked(name, one))
		for (unsigned i = 0; i < n; i++) {
			if (!concerns(one, entities[i]))
				continue;
			size_t users = one->member == FG_ALL_MEMBERS ? entities[i]->bubble->size : 1;
			for (unsigned node = 0; node < attraction->n_nodes; node++)
				attraction->bytes[i * attraction->n_nodes + node] += one->area->on_node[node] / users;
		}
}

/* Each team is looked at once, at its first entity. */
static bool
is_first(struct fg_entity *const *entities, unsigned i)
{
	for (unsigned before = 0; before < i; before++)
		if (name_of(entities[before]) == name_of(entities[i]))
			return false;
	return true;
}

static void
add_threads(struct fg_attraction *attraction, struct fg_entity *const *entities, unsigned n)
{
	const void *last = NULL;
	for (unsigned i = 0; i < n; i++) {
		const void *name = name_of(entities[i]);
		if (!name || name == last || !is_first(entities, i))
			continue;
		last = name;
		fg_areas_ask(is_of_team, name);
		fg_areas_lock();
		add_locked(attraction, name, entities, n);
		fg_areas_unlock();
	}
}

static bool
is_known(const struct fg_attraction *attraction, unsigned n)
{
	for (size_t i = 0; i < (size_t)n * attraction->n_nodes; i++)
		if (attraction->bytes[i])
			return true;
	return false;
}

struct fg_attraction
fg_attraction_of(struct fg_entity *const *entities, unsigned n)
{
	struct fg_attraction attraction = {.n_nodes = fgomp_nodes()};
	attraction.bytes = fg_memory_zeroed((size_t)n * attraction.n_nodes * sizeof *attraction.bytes);
	if (!attraction.bytes)
		return attraction;
	add_threads(&attraction, entities, n);
	for (unsigned i = 0; i < n; i++)
		if (entities[i]->kind == FG_ENTITY_BUBBLE)
			fgomp_entity_memory(entities[i], true, attraction.bytes + (size_t)i * attraction.n_nodes,
					    attraction.n_nodes);
	if (!is_known(&attraction, n))
		fg_attraction_free(&attraction);
	return attraction;
}

void
fg_attraction_free(struct fg_attraction *attraction)
{
	fg_memory_free(attraction->bytes);
	attraction->bytes = NULL;
}
