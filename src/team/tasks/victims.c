/* Victims (floor: team): the members at whose deques a member looks; see pool.h. */
#include <string.h>

#include "exec/thread/facts.h"
#include "forest/runqueue.h"
#include "platform/memory.h"
#include "team/tasks/scout.h"

static struct fg_scout *
scout_of(struct fg_task_pool *pool, const struct fg_runqueue *near)
{
	return near ? &pool->scouts[near->first_pu / fg_scout_pus(pool->size) % pool->n_scouts] : NULL;
}

/* Members that are further apart count as equally far. */
#define FAR 62

static unsigned
distance_of(struct fg_task_member *a, struct fg_task_member *b)
{
	unsigned distance = fg_worker_distance(fg_load_relaxed(&a->worker), fg_load_relaxed(&b->worker));
	return distance < FAR ? distance : FAR;
}

/* Sorts by distance, stably, from the next number on. So members at the same distance begin with different victims. The
 * distances lie behind the list, by number from the member on. They are noted because they may change meanwhile; 0: no
 * victim. */
static void
sort_victims(struct fg_task_member *member, uint8_t *distance)
{
	struct fg_task_pool *pool = member->pool;
	unsigned size = pool->size, from[FAR + 2] = {0};
	memset(distance, 0, size);
	for (struct fg_task_member *other = member->listed; other; other = other->next_producer)
		distance[(other->num + size - member->num) % size] = (uint8_t)(1 + distance_of(member, other));
	for (unsigned i = 1; i < size; i++)
		if (distance[i])
			from[distance[i]]++;
	for (unsigned d = 1; d < FAR + 2; d++)
		from[d] += from[d - 1];
	member->n_victims = member->n_near = from[FAR + 1];
	for (unsigned i = size - 1; i > 0; i--)
		if (distance[i])
			member->victims[--from[distance[i]]] = fg_load_relaxed(&pool->member[(member->num + i) % size]);
	if (!fg_task_pool_is_large(pool))
		return;
	/* The victims of its own group come first in the list. */
	unsigned most = 0;
	member->scout = scout_of(pool, fg_worker_near(fg_load_relaxed(&member->worker), &most));
	if (!member->scout)
		return;
	member->n_near = from[1 + most + 1];
	fg_mailbox_open(&member->scout->box);
}

/* Members have opened their deques since the list was made. Each comes before or behind those that are outside of the
 * member's group. */
static bool
list_new(struct fg_task_member *member)
{
	struct fg_task_member *newest = fg_load_acquire(&member->pool->producers), *other = newest;
	unsigned most = 0;
	fg_worker_near(fg_load_relaxed(&member->worker), &most);
	for (; other != member->listed; other = other->next_producer) {
		if (other == member)
			continue;
		struct fg_task_member **to = &member->victims[member->n_victims++];
		if (distance_of(member, other) <= most) {
			*to = member->victims[member->n_near];
			to = &member->victims[member->n_near++];
		}
		*to = other;
	}
	member->listed = newest;
	assert(member->n_near <= member->n_victims && member->n_victims < member->pool->size);
	return true;
}

bool
fg_task_victims(struct fg_task_member *member)
{
	struct fg_task_pool *pool = member->pool;
	if (member->listed && member->scout)
		return list_new(member);
	if (!member->victims)
		member->victims = fg_memory_get(pool->size * (sizeof(struct fg_task_member *) + 1));
	if (!member->victims)
		return false;
	member->listed = fg_load_acquire(&pool->producers);
	sort_victims(member, (uint8_t *)(member->victims + pool->size));
	assert(member->n_near <= member->n_victims && member->n_victims < pool->size);
	return true;
}
