/* Attraction (floor: sched): see attraction.h. */
#include "sched/attraction.h"

#include "forest/bubble.h"
#include "memory/area.h"
#include "platform/memory.h"

#define NONE (~0u)

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

/* ---- Bubbles ---- */

/* Finds an entity by its bubble, in a table of a power of two with a quarter of it in use at most. */
struct index {
	const struct fg_area **seen; /* [entity]: the last area that was counted for it */
	unsigned mask;
	struct {
		const struct fg_bubble *bubble;
		unsigned entity;
	} at[];
};

static unsigned
place_of(const struct index *index, const struct fg_bubble *bubble)
{
	unsigned place = (unsigned)((uintptr_t)bubble / 64 * 2654435761u) & index->mask;
	while (index->at[place].bubble && index->at[place].bubble != bubble)
		place = (place + 1) & index->mask;
	return place;
}

/* NULL: there are no bubbles, or there is no memory. */
static struct index *
index_new(struct fg_entity *const *entities, unsigned n)
{
	unsigned bubbles = 0, room = 4;
	for (unsigned i = 0; i < n; i++)
		bubbles += entities[i]->kind == FG_ENTITY_BUBBLE;
	while (room < 4 * bubbles)
		room *= 2;
	struct index *index = bubbles ? fg_memory_zeroed(sizeof *index + room * sizeof *index->at) : NULL;
	if (!index)
		return NULL;
	index->mask = room - 1;
	index->seen = fg_memory_zeroed(n * sizeof(struct fg_area *));
	if (!index->seen) {
		fg_memory_free(index);
		return NULL;
	}
	for (unsigned i = 0; i < n; i++) {
		const struct fg_bubble *bubble = (const struct fg_bubble *)entities[i];
		if (entities[i]->kind != FG_ENTITY_BUBBLE)
			continue;
		unsigned place = place_of(index, bubble);
		index->at[place].bubble = bubble;
		index->at[place].entity = i;
	}
	return index;
}

/* The entity that the attachment's team is, or is below; NONE: there is none. A name under which areas are attached is
 * a bubble. */
static unsigned
entity_of(const struct index *index, const struct fg_attachment *attachment)
{
	for (const struct fg_bubble *team = attachment->team; team; team = team->entity.bubble) {
		unsigned place = place_of(index, team);
		if (index->at[place].bubble)
			return index->at[place].entity;
	}
	return NONE;
}

static bool
is_of_bubbles(const struct fg_area *area, const void *index)
{
	for (const struct fg_attachment *one = area->first; one; one = one->next)
		if (entity_of(index, one) != NONE)
			return true;
	return false;
}

/* An area counts once for a bubble. */
static void
add_bubbles_locked(struct fg_attraction *attraction, struct index *index)
{
	for (const struct fg_area *area = fg_areas_next_locked(NULL); area; area = fg_areas_next_locked(area))
		for (const struct fg_attachment *one = area->first; one; one = one->next) {
			unsigned i = entity_of(index, one);
			if (i == NONE || index->seen[i] == area)
				continue;
			index->seen[i] = area;
			for (unsigned node = 0; node < attraction->n_nodes; node++)
				attraction->bytes[(size_t)i * attraction->n_nodes + node] += area->on_node[node];
		}
}

static void
add_bubbles(struct fg_attraction *attraction, struct fg_entity *const *entities, unsigned n)
{
	struct index *index = index_new(entities, n);
	if (!index)
		return;
	fg_areas_ask(is_of_bubbles, index);
	fg_areas_lock();
	add_bubbles_locked(attraction, index);
	fg_areas_unlock();
	fg_memory_free(index->seen);
	fg_memory_free(index);
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
	add_bubbles(&attraction, entities, n);
	if (!is_known(&attraction, n))
		fg_attraction_free(&attraction);
	return attraction;
}

static void
add_member_locked(const struct fg_member_data *member, size_t *bytes, unsigned n_nodes)
{
	for (const struct fg_attachment *one = fg_attached_next_locked(member->team, NULL); one;
	     one = fg_attached_next_locked(member->team, one)) {
		if (one->member != FG_ALL_MEMBERS && one->member != member->number)
			continue;
		for (unsigned node = 0; node < n_nodes; node++)
			bytes[node] += one->area->on_node[node] / (one->member == FG_ALL_MEMBERS ? member->size : 1);
	}
}

struct fg_attraction
fg_attraction_of_members(const struct fg_member_data *members, unsigned n)
{
	struct fg_attraction attraction = {.n_nodes = fgomp_nodes()};
	if (n)
		attraction.bytes = fg_memory_zeroed((size_t)n * attraction.n_nodes * sizeof *attraction.bytes);
	if (!attraction.bytes)
		return attraction;
	for (unsigned i = 0; i < n; i++)
		if (i == 0 || members[i].team != members[i - 1].team)
			fg_areas_ask(is_of_team, members[i].team);
	fg_areas_lock();
	for (unsigned i = 0; i < n; i++)
		add_member_locked(&members[i], attraction.bytes + (size_t)i * attraction.n_nodes, attraction.n_nodes);
	fg_areas_unlock();
	return attraction;
}

void
fg_attraction_free(struct fg_attraction *attraction)
{
	fg_memory_free(attraction->bytes);
	attraction->bytes = NULL;
}
