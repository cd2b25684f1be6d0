/* The node that stands for one child among those that depend on each other (floor: team; depend_table.h says how). */
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
extern struct fg_depend_link fg_depend_closed;
#define FG_DEPEND_CLOSED ((void *)&fg_depend_closed)

#define FG_DEPEND_LINKS 8

struct fg_depend_node {
	struct fg_block block;
	struct fg_atomic_ptr successors; /* struct fg_depend_link; or CLOSED: complete */
	struct fg_atomic_u32 missing;	 /* predecessors that have not told */
	struct fg_atomic_u32 references; /* of the table, of the child until it is complete */
	struct fg_deferred *task;	 /* NULL: somebody waits for the predecessors */
	struct fg_task_member *waiter;
	struct fg_depend_waiter queued;
	bool more;		 /* there are predecessors that it does not follow: there was no memory */
	unsigned n_links;	 /* its own that are in use; to further predecessors others lead */
	unsigned n_locks, taken; /* taken: with the one that it waits for */
	struct fg_depend_link link[FG_DEPEND_LINKS];
	struct fg_depend_lock *lock[]; /* by address */
};

/* `own`: the caller's store; NULL: it has none. */
void fg_depend_unref(struct fg_depend_node *node, struct fg_store *own);
