/* Dependences between the children of one task (floor: team; used by create.c).
 *
 * Only the task itself creates its children, so only it reads and writes the table of addresses. For each address there are two
 * generations: `current`, whose tasks do not follow each other (one out or inout, or any number of in, of inoutset, or of mutexinoutset), and
 * `before`, which all of them follow. A child of another kind starts a generation of its own and follows the current one.
 * omp_all_memory follows the current generation of every address, and is the first one of every address not met since.
 *
 * Those of mutexinoutset exclude each other by a lock of the address (depend_lock.h). Only deferred tasks take it: who waits in its
 * creation follows all that were made before, as with inout, and no other child can be made meanwhile.
 *
 * Without memory for all that this takes a child is not entered: its creator waits for what it would follow, and runs it. The waiter follows as many as there
 * are links in a node, and then the others.
 *
 * A node stands for one child, and outlives it as long as the table names it. Its successors are a list that anybody may push on;
 * the one that completes the child exchanges it for CLOSED, so that each successor was either told, or never counted the child.
 *
 * Counting. A child that is complete tells those on its list, each by taking 1 off its `missing`. The maker of a node pushes it on n lists and then
 * adds n, which may be after some have told: until then missing is 0 or negative, so nobody takes it from 1 to 0; from then on it is the
 * number of those who have not told. Hence one finds 0: the maker, if all have told, or the last of them. That one makes the child ready.
 * Where there is one list to push on, as in a chain, missing is set to 1 before, and the maker adds nothing: if the list is
 * closed, the child is ready; else it no longer touches the node. And the last that has to tell a child reads 1, and knows by that that it is the last: it need
 * not take it off. A waiter's node is told by taking off always: the waiter looks for 0.
 * The maker that has no memory for all its lists adds n + 1: nobody takes that to 0, so the node never becomes ready; once it is 1 all have told.
 *
 * Until the child can be ready, only its maker counts its references, in plain words. */
#pragma once
#include "team/inside.h"
#include "team/tasks/depend.h"
#include "team/tasks/depend_node.h"

struct fg_task;

enum fg_depend_entered {
	FG_DEPEND_READY,
	FG_DEPEND_FOLLOWS, /* who completes what it follows makes it ready, and may have done so already */
	FG_DEPEND_NO_MEMORY,
};

/* For a child `task` of `parent` with these dependences, which is to be deferred: enters it in the table, as task->node. member: the caller.
 * Without memory it is not entered: the caller waits for what the child would follow, and, if there is a node, until 1 is missing of it,
 * and gives that up. */
enum fg_depend_entered fg_depend_enter(struct fg_task_member *member, struct fg_task *parent, void **depend,
				       struct fg_deferred *task);
/* For somebody who waits, on whose stack the node lies until nothing is missing: follows what a child would, but nobody will follow it. False: nothing to
 * wait for. If there is `more`, it is to be asked again then. */
bool fg_depend_follow(struct fg_task *parent, void **depend, struct fg_task_member *waiter, struct fg_depend_node *node);
/* A child with these dependences would have to wait. */
FG_ANYWHERE bool fg_depend_precedes(struct fg_task *parent, void **depend);
/* The child is complete: makes its successors ready, and those that it excluded. `member`: the caller, in whose deque they go, but for one
 * that is returned for it to run, or NULL; NULL: in the queue, all. */
struct fg_deferred *fg_depend_complete(struct fg_task_member *member, struct fg_depend_node *node);
/* The task's body is over, or all its children are complete; rest: its table may serve the next region's task. */
void fg_depend_table_rest(struct fg_task *task, struct fg_store *own);
void fg_depend_table_free(struct fg_task *task, struct fg_store *own);
