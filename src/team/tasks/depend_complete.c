/* The end of a child that others depend on (floor: team): see depend_table.h.
 *
 * The thread that completes the child calls, without a lock. `member` is NULL wherever an event is fulfilled, even by a
 * member of the team; that thread may have no identity. Afterwards the caller must not touch the node: its reference is
 * dropped. depend_table.h has the counts that this changes. */
#include <stddef.h>

#include "platform/memory.h"
#include "team/tasks/depend_table.h"
#include "team/tasks/ready.h"

/* Makes the task ready. *next is the one that the member may run itself. */
static void
ready(struct fg_task_member *member, struct fg_deferred *task, struct fg_deferred **next)
{
	if (!member || task->priority) {
		fg_task_ready(member, task);
		return;
	}
	if (*next)
		fg_task_ready(member, *next);
	*next = task;
}

static void
give_locks(struct fg_task_member *member, struct fg_depend_node *node, struct fg_deferred **next)
{
	for (unsigned i = 0; i < node->n_locks; i++) {
		struct fg_depend_waiter *queued = fg_depend_lock_give(node->lock[i]);
		fg_depend_lock_unref(node->lock[i]);
		if (!queued)
			continue;
		struct fg_depend_node *heir =
			(struct fg_depend_node *)((char *)queued - offsetof(struct fg_depend_node, queued));
		fg_depend_say_before(heir);
		if (fg_depend_take_locks(heir))
			ready(member, heir->task, next);
	}
}

/* A member that waits for the predecessors has no locks. The node lies on its stack, and is gone as soon as missing ==
 * 0. */
static void
tell_waiter(struct fg_depend_node *node)
{
	struct fg_task_member *waiter = node->waiter;
	if (fg_sub_acq_rel(&node->missing, 1) == 1)
		fg_task_wake_member(waiter, waiter->pool);
}

/* True: the child is ready. */
static bool
tell_task(struct fg_depend_node *node)
{
	bool locks = node->n_locks != 0;
	bool last = fg_load_acquire(&node->missing) == 1 || fg_sub_acq_rel(&node->missing, 1) == 1;
	return last && (!locks || fg_depend_take_locks(node));
}

static void
tell(struct fg_task_member *member, struct fg_depend_node *node, struct fg_deferred **next)
{
	struct fg_deferred *task = node->task;
	fg_depend_say_before(node);
	if (!task)
		tell_waiter(node);
	else if (tell_task(node))
		ready(member, task, next);
}

struct fg_deferred *
fg_depend_complete(struct fg_task_member *member, struct fg_depend_node *node)
{
	struct fg_deferred *next = NULL;
	assert(fg_depend_node_valid(node) && node->taken == node->n_locks);
	fg_happens_before(node);
	give_locks(member, node, &next);
	struct fg_depend_link *link = fg_exchange_acq_rel(&node->successors, FG_DEPEND_CLOSED);
	assert(link != FG_DEPEND_CLOSED);
	while (link) {
		struct fg_depend_link told = *link;
		assert(told.successor != node);
		if (!fg_depend_link_is_own(link))
			fg_memory_free(link);
		tell(member, told.successor, &next);
		link = told.next;
	}
	fg_depend_unref(node, member ? &member->store : NULL);
	return next;
}
