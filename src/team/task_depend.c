/* Dependences between the children of one task (floor: team): see task_depend.h. */
#include "team/task_depend.h"

#include <string.h>

#include "base/log.h"
#include "platform/memory.h"
#include "team/task_run.h"

static struct fg_depend_link closed_link;
#define CLOSED ((void *)&closed_link)

#define LIST_LOCAL 2

struct list {
	struct fg_depend_node *local[LIST_LOCAL], **many; /* many: NULL as long as there is room in `local` */
	unsigned count, room;
};

struct entry {
	void *address;
	struct list before, current;
	struct fg_depend_lock *lock; /* of mutexinoutset; NULL: not met yet */
	unsigned kind;		     /* of the current generation; 0: the entry is free */
};

struct fg_depend_table {
	struct entry *entry; /* open addressing */
	size_t size, used;
	struct fg_depend_node *all; /* the last child with omp_all_memory */
};

/* Who finds it complete need not follow it, but comes after it. */
static bool
is_complete(struct fg_depend_node *node)
{
	if (fg_load_acquire(&node->successors) != CLOSED)
		return false;
	fg_happens_after(node);
	return true;
}

void
fg_depend_unref(struct fg_depend_node *node, struct fg_store *own)
{
	if (fg_load_acquire(&node->references) == 1 || fg_sub_acq_rel(&node->references, 1) == 1)
		fg_store_put(own, &node->block);
}

static void
lock_unref(struct fg_depend_lock *lock)
{
	if (fg_sub_acq_rel(&lock->references, 1) == 1)
		fg_memory_free(lock);
}

static struct fg_depend_node **
nodes_of(struct list *list)
{
	return list->many ? list->many : list->local;
}

static void
list_clear(struct list *list, struct fg_store *own)
{
	for (unsigned i = 0; i < list->count; i++)
		fg_depend_unref(nodes_of(list)[i], own);
	list->count = 0;
}

static void
drop_complete(struct list *list, struct fg_store *own)
{
	struct fg_depend_node **node = nodes_of(list);
	unsigned kept = 0;
	for (unsigned i = 0; i < list->count; i++) {
		if (is_complete(node[i]))
			fg_depend_unref(node[i], own);
		else
			node[kept++] = node[i];
	}
	list->count = kept;
}

static bool
list_grow(struct list *list)
{
	struct fg_depend_node **many = fg_memory_resize(list->many, 2 * list->room * sizeof *many);
	if (!many)
		return false;
	if (!list->many)
		memcpy(many, list->local, list->count * sizeof *many);
	list->many = many;
	list->room *= 2;
	return true;
}

/* For one more. */
static bool
list_has_room(struct list *list, struct fg_store *own)
{
	if (list->count < list->room)
		return true;
	drop_complete(list, own);
	return 2 * list->count < list->room || list_grow(list) || list->count < list->room;
}

static void
list_add(struct list *list, struct fg_depend_node *node, struct fg_store *own)
{
	if (!list_has_room(list, own))
		fg_fatal("Out of memory allocating %zu bytes",
			 2 * list->room * sizeof node); /* room_for has seen to it */
	fg_add_relaxed(&node->references, 1);
	nodes_of(list)[list->count++] = node;
}

static void
entry_clear(struct entry *entry, struct fg_store *own)
{
	list_clear(&entry->before, own);
	list_clear(&entry->current, own);
	fg_memory_free(entry->before.many);
	fg_memory_free(entry->current.many);
	if (entry->lock)
		lock_unref(entry->lock);
}

static struct entry *
slot_of(struct entry *entries, size_t size, const void *address)
{
	size_t at = (uint64_t)(uintptr_t)address * UINT64_C(0x9e3779b97f4a7c15) >> 32;
	while (entries[at & (size - 1)].kind && entries[at & (size - 1)].address != address)
		at++;
	return &entries[at & (size - 1)];
}

/* Twice the room, without the addresses that nothing is left of. False: there is no memory. */
static bool
table_grow(struct fg_depend_table *table, struct fg_store *own)
{
	size_t size = 2 * table->size, used = 0;
	struct entry *entries = fg_memory_zeroed(size * sizeof *entries);
	if (!entries)
		return false;
	for (size_t i = 0; i < table->size; i++) {
		struct entry *entry = &table->entry[i];
		if (!entry->kind)
			continue;
		drop_complete(&entry->before, own);
		drop_complete(&entry->current, own);
		if (entry->current.count || entry->before.count) {
			*slot_of(entries, size, entry->address) = *entry;
			used++;
		} else
			entry_clear(entry, own);
	}
	fg_memory_free(table->entry);
	*table = (struct fg_depend_table){entries, size, used, table->all};
	return true;
}

#define TABLE_FIRST 16
#define TABLE_KEEP 1024 /* no larger ones are kept from region to region */

/* NULL: there is no memory. */
static struct fg_depend_table *
table_of(struct fg_task *parent)
{
	if (parent->depends)
		return parent->depends;
	struct fg_depend_table *table = fg_memory_zeroed(sizeof *table);
	struct entry *entries = table ? fg_memory_zeroed(TABLE_FIRST * sizeof *entries) : NULL;
	if (!entries) {
		fg_memory_free(table);
		return NULL;
	}
	table->size = TABLE_FIRST;
	table->entry = entries;
	return parent->depends = table;
}

static void
table_clear(struct fg_depend_table *table, struct fg_store *own)
{
	for (size_t i = 0; i < table->size; i++)
		if (table->entry[i].kind)
			entry_clear(&table->entry[i], own);
	if (table->all)
		fg_depend_unref(table->all, own);
}

static void
table_empty(struct fg_depend_table *table, struct fg_store *own)
{
	table_clear(table, own);
	memset(table->entry, 0, table->size * sizeof *table->entry);
	table->used = 0;
	table->all = NULL;
}

void
fg_depend_table_rest(struct fg_task *task, struct fg_store *own)
{
	struct fg_depend_table *table = task->depends;
	if (table->size > TABLE_KEEP) {
		fg_depend_table_free(task, own);
		return;
	}
	table_empty(table, own);
}

void
fg_depend_table_free(struct fg_task *task, struct fg_store *own)
{
	struct fg_depend_table *table = task->depends;
	task->depends = NULL;
	table_clear(table, own);
	fg_memory_free(table->entry);
	fg_memory_free(table);
}

/* Without memory the table may become fuller than is good, but one entry stays free: there searches end. */
static bool
table_has_room(struct fg_depend_table *table, size_t more, struct fg_store *own)
{
	while (4 * (table->used + more) > 3 * table->size)
		if (!table_grow(table, own))
			return table->used + more < table->size;
	return true;
}

/* There is room for it. */
static struct entry *
entry_of(struct fg_depend_table *table, void *address, struct fg_store *own)
{
	struct entry *entry = slot_of(table->entry, table->size, address);
	if (!entry->kind) {
		*entry = (struct entry){.address = address,
					.before.room = LIST_LOCAL,
					.current.room = LIST_LOCAL,
					.kind = FG_DEPEND_OUT};
		table->used++;
		if (table->all)
			list_add(&entry->current, table->all, own);
	}
	return entry;
}

/* Lies in its successor, whose memory lasts until it was told through all of them; else in memory of its own. */
static bool
is_own(const struct fg_depend_link *link)
{
	const struct fg_depend_node *node = link->successor;
	return link >= node->link && link < node->link + FG_DEPEND_LINKS;
}

/* False: there is nothing to follow, it is complete. node NULL: only asks. */
static bool
follow(struct fg_depend_node *node, struct fg_depend_node *predecessor)
{
	if (predecessor == node || is_complete(predecessor))
		return false;
	if (!node)
		return true;
	struct fg_depend_link *link =
		node->n_links < FG_DEPEND_LINKS ? &node->link[node->n_links] : fg_memory_get(sizeof *link);
	if (!link) {
		node->more = true;
		return true;
	}
	link->successor = node;
	fg_add_relaxed(&node->missing, 1);
	void *first = fg_load_acquire(&predecessor->successors);
	do {
		if (first == CLOSED) {
			fg_happens_after(predecessor);
			fg_sub_acq_rel(&node->missing, 1);
			if (!is_own(link))
				fg_memory_free(link);
			return false;
		}
		link->next = first;
	} while (!fg_cas_acq_rel(&predecessor->successors, &first, link));
	node->n_links += is_own(link);
	return true;
}

static bool
follow_all(struct fg_depend_node *node, struct list *list)
{
	bool any = false;
	for (unsigned i = 0; i < list->count && !(any && !node); i++)
		any |= follow(node, nodes_of(list)[i]);
	return any;
}

static bool
is_all_memory(struct fg_depend item)
{
	return !item.address && !fg_depend_is_set(item.kind);
}

static bool
follow_item(const struct fg_depend_table *table, struct fg_depend_node *node, struct fg_depend item)
{
	bool any = false;
	if (is_all_memory(item)) {
		for (size_t i = 0; i < table->size; i++) {
			any |= follow_all(node, &table->entry[i].before);
			any |= follow_all(node, &table->entry[i].current);
		}
		return (table->all && follow(node, table->all)) || any;
	}
	struct entry *entry = slot_of(table->entry, table->size, item.address);
	if (!entry->kind)
		return table->all && follow(node, table->all);
	if ((fg_depend_is_set(item.kind) && item.kind == entry->kind) || entry->current.count == 0)
		return follow_all(node, &entry->before);
	return follow_all(node, &entry->current);
}

static bool
lock_make(struct entry *entry)
{
	if (entry->lock)
		return true;
	entry->lock = fg_memory_zeroed(sizeof *entry->lock);
	if (entry->lock)
		fg_store_relaxed(&entry->lock->references, 1);
	return entry->lock;
}

/* As one of `count` that the node has by now. */
static void
add_lock(struct fg_depend_node *node, unsigned count, struct entry *entry)
{
	if (!lock_make(entry))
		fg_fatal("Out of memory allocating %zu bytes", sizeof *entry->lock); /* room_for has seen to it */
	fg_add_relaxed(&entry->lock->references, 1);
	unsigned at = count - 1;
	for (; at > 0 && (uintptr_t)node->lock[at - 1] > (uintptr_t)entry->lock; at--)
		node->lock[at] = node->lock[at - 1];
	node->lock[at] = entry->lock;
}

/* Whoever is in `before` while `current` is not empty precedes all of that, so it may be forgotten with a new generation. NULL: all of
 * memory. */
static struct entry *
enter_item(struct fg_depend_table *table, struct fg_depend_node *node, struct fg_depend item, struct fg_store *own)
{
	if (is_all_memory(item)) {
		table_empty(table, own);
		table->all = node;
		fg_add_relaxed(&node->references, 1);
		return NULL;
	}
	struct entry *entry = entry_of(table, item.address, own);
	if (!(fg_depend_is_set(item.kind) && item.kind == entry->kind)) {
		if (entry->current.count) {
			struct list before = entry->before;
			list_clear(&before, own);
			entry->before = entry->current;
			entry->current = before;
		}
		entry->kind = item.kind;
	}
	list_add(&entry->current, node, own);
	return entry;
}

static void
node_init(struct fg_depend_node *node, struct fg_deferred *task, struct fg_task_member *waiter, unsigned locks)
{
	fg_store_relaxed(&node->successors, NULL);
	fg_store_relaxed(&node->missing, 1);
	fg_store_relaxed(&node->references, 1);
	node->task = task;
	node->waiter = waiter;
	node->entered = node->more = false;
	node->n_links = 0;
	node->n_locks = locks;
	node->taken = 0;
}

/* NULL: there is no memory. */
static struct fg_depend_node *
node_new(struct fg_task_member *member, struct fg_deferred *task, unsigned locks)
{
	size_t size = sizeof(struct fg_depend_node) + locks * sizeof(struct fg_depend_lock *);
	struct fg_depend_node *node = fg_store_get(&member->store, fg_block_kind(size), size);
	if (node)
		node_init(node, task, NULL, locks);
	return node;
}

static bool
follow_items(const struct fg_depend_table *table, struct fg_depend_node *node, const struct fg_depend_items *items)
{
	bool any = false;
	for (size_t i = 0; i < items->count; i++)
		any |= follow_item(table, node, items->item[i]);
	return any;
}

/* The item can be entered. Most start a generation of their own, which takes nothing. */
static bool
room_for_item(struct fg_depend_table *table, struct fg_depend item, struct fg_store *own)
{
	if (is_all_memory(item) || !fg_depend_is_set(item.kind))
		return true;
	struct entry *entry = entry_of(table, item.address, own);
	return list_has_room(&entry->current, own) && (item.kind != FG_DEPEND_MUTEX || lock_make(entry));
}

static bool
room_for(struct fg_depend_table *table, const struct fg_depend_items *items, struct fg_store *own)
{
	bool room = table_has_room(table, items->count, own);
	for (size_t i = 0; i < items->count && room; i++)
		room = room_for_item(table, items->item[i], own);
	return room;
}

static void
enter_items(struct fg_depend_table *table, struct fg_depend_node *node, const struct fg_depend_items *items,
	    struct fg_store *own)
{
	unsigned locks = 0;
	for (size_t i = 0; i < items->count; i++) {
		struct entry *entry = enter_item(table, node, items->item[i], own);
		if (items->item[i].kind == FG_DEPEND_MUTEX)
			add_lock(node, ++locks, entry);
	}
	node->entered = true;
}

struct fg_depend_node *
fg_depend_enter(struct fg_task_member *member, struct fg_task *parent, void **depend, struct fg_deferred *task)
{
	struct fg_depend_table *table = table_of(parent);
	struct fg_depend_items items;
	bool room = fg_depend_items_read(&items, depend) && table && room_for(table, &items, &member->store);
	struct fg_depend_node *node = room ? node_new(member, task, fg_depend_mutexes(&items)) : NULL;
	if (node) {
		follow_items(table, node, &items);
		if (__builtin_expect(node->more, 0))
			node->n_locks = 0;
		else
			enter_items(table, node, &items, &member->store);
	}
	fg_depend_items_free(&items);
	return node;
}

bool
fg_depend_precedes(struct fg_task *parent, void **depend)
{
	if (!parent->depends)
		return false;
	struct fg_depend_items items;
	fg_depend_items_read(&items, depend);
	fg_depend_order_mutexes(&items);
	bool any = follow_items(parent->depends, NULL, &items);
	fg_depend_items_free(&items);
	return any;
}

bool
fg_depend_follow(struct fg_task *parent, void **depend, struct fg_task_member *waiter, struct fg_depend_node *node)
{
	if (!fg_depend_precedes(parent, depend))
		return false;
	node_init(node, NULL, waiter, 0);
	struct fg_depend_items items;
	fg_depend_items_read(&items, depend);
	fg_depend_order_mutexes(&items);
	follow_items(parent->depends, node, &items);
	fg_depend_items_free(&items);
	return true;
}

static void
say_before(const struct fg_depend_node *node)
{
	fg_happens_before(node->task ? (const void *)node->task : node);
}

static void
ready(struct fg_task_member *member, struct fg_deferred *task, struct fg_task_member *waiter)
{
	if (task)
		fg_task_ready(member, task);
	else
		fg_task_wake_member(waiter, waiter->pool);
}

/* Once it waits in a lock others may go on with the node, to its end. */
bool
fg_depend_lock_all(struct fg_depend_node *node)
{
	while (node->taken < node->n_locks)
		if (!fg_depend_lock_take(node->lock[node->taken++], &node->queued))
			return false;
	say_before(node);
	return true;
}

static void
give_locks(struct fg_task_member *member, struct fg_depend_node *node)
{
	for (unsigned i = 0; i < node->n_locks; i++) {
		struct fg_depend_waiter *queued = fg_depend_lock_give(node->lock[i]);
		lock_unref(node->lock[i]);
		if (!queued)
			continue;
		struct fg_depend_node *next =
			(struct fg_depend_node *)((char *)queued - offsetof(struct fg_depend_node, queued));
		say_before(next);
		if (fg_depend_lock_all(next))
			ready(member, next->task, next->waiter);
	}
}

/* Somebody who waits for the predecessors has no locks, and frees the node when nothing is missing. */
static void
tell(struct fg_task_member *member, struct fg_depend_node *node)
{
	struct fg_deferred *task = node->task;
	struct fg_task_member *waiter = node->waiter;
	bool locks = node->n_locks != 0;
	say_before(node);
	if (fg_sub_acq_rel(&node->missing, 1) == 1 && (!locks || fg_depend_lock_all(node)))
		ready(member, task, waiter);
}

void
fg_depend_complete(struct fg_task_member *member, struct fg_depend_node *node)
{
	fg_happens_before(node);
	give_locks(member, node);
	struct fg_depend_link *link = fg_exchange_acq_rel(&node->successors, CLOSED);
	while (link) {
		struct fg_depend_link told = *link;
		if (!is_own(link))
			fg_memory_free(link);
		tell(member, told.successor);
		link = told.next;
	}
	fg_depend_unref(node, member ? &member->store : NULL);
}
