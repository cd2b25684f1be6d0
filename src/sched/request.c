/* Request (floor: sched): see request.h. */
#include "sched/request.h"

#include "forest/bubble.h"
#include "memory/haul.h"

#define NODES 64

static bool
concerns(const struct fg_attachment *attachment, const struct fg_entity *entity)
{
	return entity->kind != FG_ENTITY_BUBBLE && entity->bubble && attachment->team == entity->bubble->areas &&
	       (attachment->member == FG_ALL_MEMBERS || attachment->member == entity->number);
}

/* The nodes with at least half as many of the attachment's users as the fullest one. A single one of a large team does
 * not draw a part of its data away. */
static uint64_t
nodes_of(const struct fg_attachment *attachment, struct fg_entity *const *entity, const int *node, unsigned n)
{
	unsigned users[NODES] = {0}, most = 0;
	uint64_t nodes = 0;
	for (unsigned i = 0; i < n; i++)
		if (node[i] >= 0 && node[i] < NODES && concerns(attachment, entity[i]) && ++users[node[i]] > most)
			most = users[node[i]];
	for (unsigned k = 0; k < NODES; k++)
		if (users[k] && users[k] * 2 >= most)
			nodes |= UINT64_C(1) << k;
	return nodes;
}

static const void *
name_of(const struct fg_entity *entity)
{
	return entity->kind != FG_ENTITY_BUBBLE && entity->bubble ? entity->bubble->areas : NULL;
}

void
fg_request_data(struct fg_entity *const *entity, const int *node, unsigned n, unsigned access, uint64_t also)
{
	const void *name = n ? name_of(entity[0]) : NULL;
	if (!name || !access)
		return;
	fg_areas_lock();
	for (struct fg_attachment *one = fg_attached_next_locked(name, NULL); one;
	     one = fg_attached_next_locked(name, one)) {
		uint64_t nodes = one->access & access ? nodes_of(one, entity, node, n) : 0;
		if (nodes)
			fg_haul_ask_locked(one, nodes | also);
	}
	fg_areas_unlock();
}
