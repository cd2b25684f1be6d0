/* Dependences between the children of one task (floor: team): see depend_table.h. */
#include "team/tasks/depend_table.h"

#include <string.h>

#include "base/log.h"
#include "platform/memory.h"
#include "team/tasks/depend_list.h"
#include "team/tasks/ready.h"

struct entry {
	void *address;
	struct fg_depend_list before, current;
	struct fg_depend_lock *lock; /* of mutexinoutset; NULL: no such task yet */
	unsigned kind;		     /* of the current generation; 0: the entry is free */
};

struct fg_depend_table {
	struct entry *entry; /* open addressing */
	size_t size, used;
	struct fg_depend_node *all; /* the last child with omp_all_memory */
};

#ifndef NDEBUG
/* For the task, which alone uses its table. A search ends, because one entry is free. */
static bool
table_valid(const struct fg_depend_table *table)
{
	assert(table->size > 0 && !(table->size & (table->size - 1)));
	assert(table->used < table->size && table->entry);
	assert(!table->all || fg_load_relaxed(&table->all->references) > 0);
	return true;
}
#endif

static void
entry_clear(struct entry *entry, struct fg_store *own)
{
	fg_depend_list_clear(&entry->before, own);
	fg_depend_list_clear(&entry->current, own);
	fg_memory_free(entry->before.many);
	fg_memory_free(entry->current.many);
	if (entry->lock)
		fg_depend_lock_unref(entry->lock);
}

static struct entry *
slot_of(struct entry *entries, size_t size, const void *address)
{
	size_t at = (uint64_t)(uintptr_t)address * UINT64_C(0x9e3779b97f4a7c15) >> 32;
	while (entries[at & (size - 1)].kind && entries[at & (size - 1)].address != address)
		at++;
	return &entries[at & (size - 1)];
}

/* Doubles the table, and drops the addresses of which nothing is left. False: there is no memory. */
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
		fg_depend_list_drop(&entry->before, own);
		fg_depend_list_drop(&entry->current, own);
		if (entry->current.count || entry->before.count) {
			*slot_of(entries, size, entry->address) = *entry;
			used++;
		} else
			entry_clear(entry, own);
	}
	fg_memory_free(table->entry);
	*table = (struct fg_depend_table){entries, size, used, table->all};
	assert(table_valid(table));
	return true;
}

#define TABLE_FIRST 16
#define TABLE_KEEP 1024 /* entries: a larger table is not kept for the next region */

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
	assert(table_valid(table));
	task->depends = NULL;
	table_clear(table, own);
	fg_memory_free(table->entry);
	fg_memory_free(table);
}

/* Without memory the table may become fuller than is good. But one entry stays free, because searches end there. */
static bool
table_has_room(struct fg_depend_table *table, size_t more, struct fg_store *own)
{
	while (4 * (table->used + more) > 3 * table->size)
		if (!table_grow(table, own))
			return table->used + more < table->size;
	return true;
}

/* Finds the entry of the address, or makes it. There is room for it. */
static struct entry *
entry_of(struct fg_depend_table *table, void *address, struct fg_store *own)
{
	struct entry *entry = slot_of(table->entry, table->size, address);
	if (!entry->kind) {
		*entry = (struct entry){.address = address,
					.before.room = FG_DEPEND_LIST_LOCAL,
					.current.room = FG_DEPEND_LIST_LOCAL,
					.kind = FG_DEPEND_OUT};
		table->used++;
		assert(table_valid(table));
		if (table->all) {
			fg_add_relaxed(&table->all->references, 1);
			fg_depend_list_add(&entry->current, table->all, own);
		}
	}
	return entry;
}

/* A node that is being made. */
struct making {
	struct fg_depend_node *node;  /* NULL: the caller only asks */
	struct fg_depend_node *first; /* predecessor that may be the only one, so it is put off; the table holds it */
	uint32_t followed;
	bool any; /* there is a predecessor to follow */
};

/* False: the predecessor is complete. Or there is no memory, and `more` tells so. */
static bool
push(struct fg_depend_node *node, struct fg_depend_node *predecessor)
{
	struct fg_depend_link *link =
		node->n_links < FG_DEPEND_LINKS ? &node->link[node->n_links] : fg_memory_get(sizeof *link);
	if (!link) {
		node->more = true;
		return false;
	}
	link->successor = node;
	void *first = fg_load_acquire(&predecessor->successors);
	do {
		if (first == FG_DEPEND_CLOSED) {
			fg_happens_after(predecessor);
			if (!fg_depend_link_is_own(link))
				fg_memory_free(link);
			return false;
		}
		link->next = first;
	} while (!fg_cas_acq_rel(&predecessor->successors, &first, link));
	return true;
}

static void
follow_now(struct making *making, struct fg_depend_node *predecessor)
{
	struct fg_depend_node *node = making->node;
	if (!push(node, predecessor))
		return;
	node->n_links += node->n_links < FG_DEPEND_LINKS;
	making->followed++;
}

static void
follow_first(struct making *making)
{
	if (making->first)
		follow_now(making, making->first);
	making->first = NULL;
}

static void
follow(struct making *making, struct fg_depend_node *predecessor)
{
	if (predecessor == making->node || predecessor == making->first || fg_depend_is_complete(predecessor))
		return;
	making->any = true;
	if (!making->node)
		return;
	if (!making->first && !making->followed) {
		making->first = predecessor;
		return;
	}
	follow_first(making);
	follow_now(making, predecessor);
}

static void
follow_all(struct making *making, struct fg_depend_list *list)
{
	for (unsigned i = 0; i < list->count && !(making->any && !making->node); i++)
		follow(making, fg_depend_list_nodes(list)[i]);
}

static bool
is_all_memory(struct fg_depend item)
{
	return !item.address && !fg_depend_kind_is_shared(item.kind);
}

static void
follow_memory(const struct fg_depend_table *table, struct making *making)
{
	for (size_t i = 0; i < table->size; i++) {
		follow_all(making, &table->entry[i].before);
		follow_all(making, &table->entry[i].current);
	}
	if (table->all)
		follow(making, table->all);
}

static void
follow_item(const struct fg_depend_table *table, struct making *making, struct fg_depend item)
{
	if (is_all_memory(item)) {
		follow_memory(table, making);
		return;
	}
	struct entry *entry = slot_of(table->entry, table->size, item.address);
	if (!entry->kind) {
		if (table->all)
			follow(making, table->all);
	} else if ((fg_depend_kind_is_shared(item.kind) && item.kind == entry->kind) || entry->current.count == 0)
		follow_all(making, &entry->before);
	else
		follow_all(making, &entry->current);
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

/* Adds the entry's lock to the node, in the order of addresses. The node has `count` locks with this one. */
static void
add_lock(struct fg_depend_node *node, unsigned count, struct entry *entry)
{
	if (!lock_make(entry))
		fg_fatal("Out of memory allocating %zu bytes", sizeof *entry->lock); /* room_for has made it */
	assert(count <= node->n_locks);
	fg_add_relaxed(&entry->lock->references, 1);
	unsigned at = count - 1;
	for (; at > 0 && (uintptr_t)node->lock[at - 1] > (uintptr_t)entry->lock; at--)
		node->lock[at] = node->lock[at - 1];
	node->lock[at] = entry->lock;
}

/* Enters the node for this item. While `current` is not empty, each task in `before` precedes all tasks in `current`.
 * So a new generation may forget `before`. NULL: the item is all of memory. */
static struct entry *
enter_item(struct fg_depend_table *table, struct making *making, struct fg_depend item, struct fg_store *own)
{
	struct fg_depend_node *node = making->node;
	fg_store_relaxed(&node->references, fg_load_relaxed(&node->references) + 1);
	if (is_all_memory(item)) {
		follow_first(making);
		table_empty(table, own);
		table->all = node;
		return NULL;
	}
	struct entry *entry = entry_of(table, item.address, own);
	if (!(fg_depend_kind_is_shared(item.kind) && item.kind == entry->kind)) {
		if (entry->current.count) {
			struct fg_depend_list before = entry->before;
			fg_depend_list_clear(&before, own);
			entry->before = entry->current;
			entry->current = before;
		}
		entry->kind = item.kind;
	}
	fg_depend_list_add(&entry->current, node, own);
	return entry;
}

static void
node_init(struct fg_depend_node *node, struct fg_deferred *task, struct fg_task_member *waiter, unsigned locks)
{
	fg_store_relaxed(&node->successors, NULL);
	fg_store_relaxed(&node->missing, 0);
	fg_store_relaxed(&node->references, 1);
	node->task = task;
	node->waiter = waiter;
	node->more = false;
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

static void
follow_items(const struct fg_depend_table *table, struct making *making, const struct fg_depend_items *items)
{
	for (size_t i = 0; i < items->count; i++)
		follow_item(table, making, items->item[i]);
}

/* Makes sure that the item can be entered. Most items start a generation of their own, which takes no memory. */
static bool
room_for_item(struct fg_depend_table *table, struct fg_depend item, struct fg_store *own)
{
	if (is_all_memory(item) || !fg_depend_kind_is_shared(item.kind))
		return true;
	struct entry *entry = entry_of(table, item.address, own);
	return fg_depend_list_has_room(&entry->current, own) && (item.kind != FG_DEPEND_MUTEX || lock_make(entry));
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
enter_items(struct fg_depend_table *table, struct making *making, const struct fg_depend_items *items,
	    struct fg_store *own)
{
	unsigned locks = 0;
	for (size_t i = 0; i < items->count; i++) {
		struct entry *entry = enter_item(table, making, items->item[i], own);
		if (items->item[i].kind == FG_DEPEND_MUTEX)
			add_lock(making->node, ++locks, entry);
	}
}

/* Ends the making of a node that is entered wherever it must be. True: the node has nothing to wait for. */
static bool
made(struct making *making)
{
	struct fg_depend_node *node = making->node;
	assert(!making->first || making->followed == 0);
	fg_depend_say_before(node);
	if (making->first) {
		fg_store_relaxed(&node->missing, 1);
		if (push(node, making->first))
			return false;
		fg_depend_say_before(node);
		return true;
	}
	return making->followed == 0 || fg_add_acq_rel(&node->missing, making->followed) + making->followed == 0;
}

/* Makes the node follow its predecessors, and enters it in the table. */
static enum fg_depend_entered
make(struct fg_depend_table *table, struct fg_depend_node *node, const struct fg_depend_items *items,
     struct fg_store *own)
{
	struct making making = {.node = node};
	bool locks = node->n_locks != 0;
	follow_items(table, &making, items);
	if (__builtin_expect(node->more, 0)) {
		fg_add_acq_rel(&node->missing, making.followed + 1);
		return FG_DEPEND_NO_MEMORY;
	}
	enter_items(table, &making, items, own);
	assert(table_valid(table) && fg_depend_node_valid(node));
	return made(&making) && (!locks || fg_depend_take_locks(node)) ? FG_DEPEND_READY : FG_DEPEND_FOLLOWS;
}

enum fg_depend_entered
fg_depend_enter(struct fg_task_member *member, struct fg_task *parent, void **depend, struct fg_deferred *task)
{
	struct fg_depend_table *table = table_of(parent);
	struct fg_depend_items items;
	assert(parent->children == task->task.family);
	bool room = fg_depend_items_read(&items, depend) && table && room_for(table, &items, &member->store);
	struct fg_depend_node *node = room ? node_new(member, task, fg_depend_mutexes(&items)) : NULL;
	task->node = node;
	enum fg_depend_entered entered = node ? make(table, node, &items, &member->store) : FG_DEPEND_NO_MEMORY;
	fg_depend_items_free(&items);
	return entered;
}

bool
fg_depend_precedes(struct fg_task *parent, void **depend)
{
	if (!parent->depends)
		return false;
	struct fg_depend_items items;
	struct making asks = {0};
	fg_depend_items_read(&items, depend);
	fg_depend_order_mutexes(&items);
	assert(table_valid(parent->depends));
	follow_items(parent->depends, &asks, &items);
	fg_depend_items_free(&items);
	return asks.any;
}

bool
fg_depend_follow(struct fg_task *parent, void **depend, struct fg_task_member *waiter, struct fg_depend_node *node)
{
	if (!fg_depend_precedes(parent, depend))
		return false;
	assert(waiter && parent->depends);
	node_init(node, NULL, waiter, 0);
	struct making making = {.node = node};
	struct fg_depend_items items;
	fg_depend_items_read(&items, depend);
	fg_depend_order_mutexes(&items);
	follow_items(parent->depends, &making, &items);
	fg_depend_items_free(&items);
	if (!made(&making) || node->more)
		return true;
	fg_happens_after(node);
	return false;
}
