/* Dependences between the children of one task (floor: team; used by create.c, deferred.c, depend_wait.c,
 * plain.c, run.c, run.h and pool_end.c).
 *
 * Only the task itself creates its children, so only it reads and writes the table of addresses. Each address has two
 * generations. The tasks in `current` do not follow each other: one out or inout, or any number of in, of inoutset, or
 * of mutexinoutset. All of them follow those in `before`. A child of another kind starts a generation of its own, and
 * follows the current one. A child with omp_all_memory follows the current generation of every address. It is the
 * first generation of every address that is met later.
 *
 * Tasks with mutexinoutset exclude each other by a lock of the address (depend_lock.h). Only deferred tasks take it. A
 * task that waits in its creation follows all tasks that were made before, as with inout. No other child can be made
 * meanwhile.
 *
 * Without memory for all this a child is not entered: its creator waits for its predecessors, and runs it. The waiter
 * follows as many predecessors as a node has links, and then the others.
 *
 * A node stands for one child, and outlives it as long as the table names it. Its successors are a list that any
 * thread may push on. The thread that completes the child exchanges the list for CLOSED. So each successor was either
 * told, or never counted the child.
 *
 * Counting. A complete child tells each successor on its list: it subtracts 1 from the successor's `missing`. The
 * maker of a node pushes it on n lists and then adds n, perhaps after some predecessors have told.
 *
 *     before the addition:  missing == -told <= 0
 *     after it:             missing == n - told
 *
 * So no thread takes missing from 1 to 0 before the addition. Exactly one thread finds 0: the maker, if all have told,
 * or else the last predecessor. That thread makes the child ready.
 *
 * With one list to push on, as in a chain, missing is set to 1 before the push, and the maker adds nothing. If the
 * list is closed, the child is ready. Else the maker no longer touches the node. The last predecessor that has to tell
 * a child reads missing == 1. So it knows that it is the last, and need not subtract. A waiter's node is always told
 * by a subtraction, because the waiter looks for 0.
 *
 * A maker without memory for all its lists adds n + 1. No thread takes that to 0, so the node never becomes ready.
 * Once missing == 1, all predecessors have told.
 *
 * Until the child can be ready, only its maker counts its references, in plain words. */
#pragma once
#include "team/inside.h"
#include "team/tasks/depend.h"
#include "team/tasks/depend_node.h"

struct fg_task;

enum fg_depend_entered {
	FG_DEPEND_READY,
	FG_DEPEND_FOLLOWS, /* the thread that completes its last predecessor makes it ready, or has done so already */
	FG_DEPEND_NO_MEMORY,
};

/* Enters a child `task` of `parent` with these dependences in the table, as task->node. The child will be deferred.
 * `member` is the caller. Without memory the child is not entered. Then the caller waits for its predecessors. If
 * there is a node, the caller also waits until node->missing == 1, and gives the node up. */
enum fg_depend_entered fg_depend_enter(struct fg_task_member *member, struct fg_task *parent, void **depend,
				       struct fg_deferred *task);
/* For a member that waits: its node follows the predecessors of a child with these dependences, and no child will
 * follow it. The node lies on the member's stack until missing == 0. False: there is nothing to wait for. If `more` is
 * set, the member must ask again after that. */
bool fg_depend_follow(struct fg_task *parent, void **depend, struct fg_task_member *waiter,
		      struct fg_depend_node *node);
/* True: a child with these dependences would have to wait. */
FG_ANYWHERE bool fg_depend_precedes(struct fg_task *parent, void **depend);
/* The child is complete: makes its successors ready, and the tasks that it excluded. They go into the deque of
 * `member`, the caller, except one that is returned for it to run (NULL: none). If `member` is NULL, all go into the
 * queue. */
struct fg_deferred *fg_depend_complete(struct fg_task_member *member, struct fg_depend_node *node);
/* The task's body is over, or all its children are complete. After `rest` its table may serve the next region's
 * task. */
void fg_depend_table_rest(struct fg_task *task, struct fg_store *own);
void fg_depend_table_free(struct fg_task *task, struct fg_store *own);
