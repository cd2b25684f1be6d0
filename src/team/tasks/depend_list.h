/* The nodes of one generation of children for one address: a list with room for two in place (floor: team; used by
 * depend_table.c).
 *
 * The list holds a reference to each node. Before it would grow, it drops the nodes of complete children.
 *
 * Only the task that has the table touches its lists, inside: the runtime's memory may be asked. */
#pragma once
#include <string.h>

#include "base/log.h"
#include "platform/memory.h"
#include "team/tasks/depend_node.h"

#define FG_DEPEND_LIST_LOCAL 2

struct fg_depend_list {
	struct fg_depend_node *local[FG_DEPEND_LIST_LOCAL], **many; /* many: NULL while `local` is enough */
	unsigned count, room;
};

#ifndef NDEBUG
/* For an assert. */
static inline bool
fg_depend_list_valid(const struct fg_depend_list *list)
{
	assert(list->count <= list->room && list->room >= FG_DEPEND_LIST_LOCAL);
	assert(!list->many == (list->room == FG_DEPEND_LIST_LOCAL));
	return true;
}
#endif

/* True: the child is complete. The caller need not follow it, but comes after it. */
static inline bool
fg_depend_is_complete(struct fg_depend_node *node)
{
	if (fg_load_acquire(&node->successors) != FG_DEPEND_CLOSED)
		return false;
	fg_happens_after(node);
	return true;
}

static inline struct fg_depend_node **
fg_depend_list_nodes(struct fg_depend_list *list)
{
	return list->many ? list->many : list->local;
}

static inline void
fg_depend_list_clear(struct fg_depend_list *list, struct fg_store *own)
{
	for (unsigned i = 0; i < list->count; i++)
		fg_depend_unref(fg_depend_list_nodes(list)[i], own);
	list->count = 0;
}

static inline void
fg_depend_list_drop(struct fg_depend_list *list, struct fg_store *own)
{
	struct fg_depend_node **node = fg_depend_list_nodes(list);
	unsigned kept = 0;
	for (unsigned i = 0; i < list->count; i++) {
		if (fg_depend_is_complete(node[i]))
			fg_depend_unref(node[i], own);
		else
			node[kept++] = node[i];
	}
	assert(kept <= list->count && fg_depend_list_valid(list));
	list->count = kept;
}

static inline bool
fg_depend_list_grow(struct fg_depend_list *list)
{
	struct fg_depend_node **many = fg_memory_resize(list->many, 2 * list->room * sizeof *many);
	if (!many)
		return false;
	if (!list->many)
		memcpy(many, list->local, list->count * sizeof *many);
	list->many = many;
	list->room *= 2;
	assert(fg_depend_list_valid(list));
	return true;
}

/* Makes room for one more node. False: there is no memory. */
static inline bool
fg_depend_list_has_room(struct fg_depend_list *list, struct fg_store *own)
{
	if (list->count < list->room)
		return true;
	fg_depend_list_drop(list, own);
	return 2 * list->count < list->room || fg_depend_list_grow(list) || list->count < list->room;
}

/* Adds the node, with a reference that the caller has counted. */
static inline void
fg_depend_list_add(struct fg_depend_list *list, struct fg_depend_node *node, struct fg_store *own)
{
	if (!fg_depend_list_has_room(list, own))
		fg_fatal("Out of memory allocating %zu bytes",
			 2 * list->room * sizeof node); /* room_for has made room */
	fg_depend_list_nodes(list)[list->count++] = node;
	assert(fg_depend_list_valid(list));
}
