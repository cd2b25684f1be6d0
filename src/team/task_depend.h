/* Dependences between the children of one task (floor: team; used by task.c).
 *
 * Only the task itself creates its children, so only it reads and writes the table of addresses. For each address there are two
 * generations: `current`, whose tasks do not follow each other (one out or inout, or any number of in, of inoutset, or of mutexinoutset), and
 * `before`, which all of them follow. A child of another kind starts a generation of its own and follows the current one.
 * omp_all_memory follows the current generation of every address, and is the first one of every address not met since.
 *
 * Those of mutexinoutset exclude each other by a lock of the address (depend_lock.h). Only deferred tasks take it: who waits in its
 * creation follows all that were made before, as with inout, and no other child can be made meanwhile.
 *
 * Without memory for all that this takes a child is not entered: its creator waits for what it would follow, and runs it. Who waits follows as many as there
 * are links in a node, and then the others.
 *
 * A node stands for one child, and outlives it as long as the table names it. Its successors are a list that anybody may push on;
 * whoever completes the child exchanges it for CLOSED, so that each successor was either told, or never counted the child. */
#pragma once
#include "base/atomic.h"
#include "team/depend.h"
#include "team/depend_lock.h"
#include "team/task_store.h"

struct fg_deferred;
struct fg_task;
struct fg_task_member;

struct fg_depend_link {
	struct fg_depend_link *next;
	struct fg_depend_node *successor;
};

#define FG_DEPEND_LINKS 8

struct fg_depend_node {
	struct fg_block block;
	struct fg_atomic_ptr successors; /* struct fg_depend_link; or CLOSED: complete */
	struct fg_atomic_u32 missing;	 /* predecessors not complete; one more while it is being made */
	struct fg_atomic_u32 references; /* of the table, of the child until it is complete */
	struct fg_deferred *task;	 /* NULL: somebody waits for the predecessors */
	struct fg_task_member *waiter;
	struct fg_depend_waiter queued;
	bool entered;		 /* in the table */
	bool more;		 /* there are predecessors that it does not follow: there was no memory */
	unsigned n_links;	 /* its own that are in use; to further predecessors others lead */
	unsigned n_locks, taken; /* taken: with the one that it waits for */
	struct fg_depend_link link[FG_DEPEND_LINKS];
	struct fg_depend_lock *lock[]; /* by address */
};

/* For a child `task` of `parent` with these dependences, which is to be deferred: enters it in the table. fg_depend_made ends the making.
 * member: the caller. NULL, or not `entered`: there is no memory; the caller waits for what the child would follow, and until nothing but the making is missing
 * of the node, and gives that up. */
struct fg_depend_node *fg_depend_enter(struct fg_task_member *member, struct fg_task *parent, void **depend,
				       struct fg_deferred *task);
/* For somebody who waits, on whose stack the node lies until nothing is missing: follows what a child would, but nobody will follow it. False: nothing to
 * wait for. If there is `more`, it is to be asked again then. */
bool fg_depend_follow(struct fg_task *parent, void **depend, struct fg_task_member *waiter, struct fg_depend_node *node);
/* A child with these dependences would have to wait. */
bool fg_depend_precedes(struct fg_task *parent, void **depend);
/* Nothing is missing any more: takes the node's locks. False: it waits for one, and whoever hands on the last makes it ready. */
bool fg_depend_lock_all(struct fg_depend_node *node);
/* True: nothing is missing (any more). */
static inline bool
fg_depend_made(struct fg_depend_node *node)
{
	return fg_sub_acq_rel(&node->missing, 1) == 1 && (node->n_locks == 0 || fg_depend_lock_all(node));
}
/* `own`: the caller's store; NULL: it has none. */
void fg_depend_unref(struct fg_depend_node *node, struct fg_store *own);
/* The child is complete: makes its successors ready, and those that it excluded. `member`: in whose deque they go; NULL: in the queue. */
void fg_depend_complete(struct fg_task_member *member, struct fg_depend_node *node);
/* The task's body is over, or all its children are complete; rest: its table may serve the next region's task. */
void fg_depend_table_rest(struct fg_task *task, struct fg_store *own);
void fg_depend_table_free(struct fg_task *task, struct fg_store *own);
