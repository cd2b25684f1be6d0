/* The node that stands for one child among children that depend on each other (floor: team; depend_table.h says
 * how).
 *
 * The maker alone has a node until its child can be ready; later the thread that completes the child has it. Others
 * only push on `successors`, subtract from `missing` and drop references. Callers are inside, without a lock. */
#pragma once
#include "base/atomic.h"
#include "team/tasks/depend_lock.h"
#include "team/tasks/store.h"

struct fg_deferred;
struct fg_task_member;

struct fg_depend_link {
	struct fg_depend_link *next;
	struct fg_depend_node *successor;
};

/* The list of successors of a complete child. */
extern const struct fg_depend_link fg_depend_closed;
#define FG_DEPEND_CLOSED ((void *)&fg_depend_closed)

#define FG_DEPEND_LINKS 8

struct fg_depend_node {
	struct fg_block block;
	struct fg_atomic_ptr successors; /* list of struct fg_depend_link; CLOSED: complete */
	struct fg_atomic_u32 missing;	 /* predecessors that have not told it yet (depend_table.h) */
	struct fg_atomic_u32 references; /* the table's, and the child's until it is complete */
	struct fg_deferred *task;	 /* NULL: `waiter` waits for the predecessors */
	struct fg_task_member *waiter;
	struct fg_depend_waiter queued;
	bool more;		 /* no memory: there are predecessors that it does not follow */
	unsigned n_links;	 /* links of its own in use; links in other memory lead to further predecessors */
	unsigned n_locks, taken; /* taken: also the lock that it waits for */
	struct fg_depend_link link[FG_DEPEND_LINKS];
	struct fg_depend_lock *lock[]; /* in the order of their addresses */
};

/* Gives up a reference. `own` is the caller's store. NULL: it has none. */
void fg_depend_unref(struct fg_depend_node *node, struct fg_store *own);

#ifndef NDEBUG
/* While one thread alone has the node: its maker, or the thread that completes the child. For an assert. */
static inline bool
fg_depend_node_valid(const struct fg_depend_node *node)
{
	assert(fg_load_relaxed(&node->references) > 0);
	assert(node->n_links <= FG_DEPEND_LINKS && node->taken <= node->n_locks);
	assert(!node->task != !node->waiter);
	for (unsigned i = 1; i < node->n_locks; i++)
		assert((uintptr_t)node->lock[i - 1] < (uintptr_t)node->lock[i]);
	return true;
}
#endif

/* True: the link lies in its successor, whose memory lasts until it was told through all its links. False: the link
 * has memory of its own. */
static inline bool
fg_depend_link_is_own(const struct fg_depend_link *link)
{
	const struct fg_depend_node *node = link->successor;
	return link >= node->link && link < node->link + FG_DEPEND_LINKS;
}

static inline void
fg_depend_say_before(const struct fg_depend_node *node)
{
	fg_happens_before(node->task ? (const void *)node->task : node);
}

/* Nothing is missing any more: takes the node's locks. False: the node waits for a lock, and the thread that hands on
 * the last one makes it ready. Then other threads may go on with the node, to its end. */
static inline bool
fg_depend_take_locks(struct fg_depend_node *node)
{
	assert(node->taken <= node->n_locks && node->task);
	while (node->taken < node->n_locks)
		if (!fg_depend_lock_take(node->lock[node->taken++], &node->queued))
			return false;
	fg_depend_say_before(node);
	return true;
}
