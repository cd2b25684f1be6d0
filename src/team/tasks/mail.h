/* Mail: a producer of a large team leaves batches of tasks in the mailboxes of groups (floor: team; called by create.c,
 * thief.c, run.c and deferred.c, and by gomp/taskloop.c).
 *
 * All members of a large team look for tasks where one of them makes many. Each theft then costs the line of `top` of
 * that deque. So each group (scout.h) has a mailbox (mailbox.h). A producer whose deque holds enough tasks for a batch
 * leaves the oldest in an empty mailbox. If there is none, it keeps as many as its limit says. From then on it runs its
 * next task itself. A member of the group takes all tasks of its mailbox at once, and the others of the group find them
 * in its deque. The rows of a taskloop (row.h) come to mailboxes one by one.
 *
 * Tasks in a mailbox wait as those in a deque do. Members look in the mailbox of their own group first. A look at all
 * members goes to all mailboxes, too, and so does each look before a sleep. The producer looks for sleepers once a
 * mailbox is full. A taker and a producer that have claimed a mailbox have its tasks in hand, as a thief has between
 * the deque that it has robbed and its own. Such a thread runs tasks, or is about to fill the mailbox. Afterwards it
 * wakes a member for those that it has not taken itself. So the proofs of wait.c hold.
 *
 * A batch is counted out as one, if it can: the member that completes its last task subtracts all of them from their
 * family and their taskgroup, and gives all their memory back (run.c). Else all members would count in one line for
 * each task. No task waits for a part of a batch, because all of it has one family and one taskgroup.
 *
 * The callers are members, inside and without a lock. They never wait for a mailbox. */
#pragma once
#include "team/inside.h"
#include "team/tasks/pool.h"

/* Makes a batch of tasks that are in the caller's hands. */
void fg_task_batch_make(void *const *tasks, unsigned n);
/* The task of a batch is complete. If it was the last one, returns the first task, which has the words of the batch.
 * Then the caller has seen what all members that completed the others have written. NULL: others are left, and the
 * task may be gone. */
static inline struct fg_deferred *
fg_task_batch_leave(struct fg_deferred *task)
{
	struct fg_deferred *first = task->batch.first;
	assert(task->counted == FG_TASK_OF_BATCH);
	return fg_sub_acq_rel(&first->batch.left, 1) == 1 ? first : NULL;
}

/* True: the member's deque has become shorter, because a batch lies in a mailbox now. */
bool fg_task_mail(struct fg_task_member *member);
/* Finds mailboxes of other groups, at most `most`, that are empty now. Returns their number. */
FG_ANYWHERE unsigned fg_task_mail_empty(const struct fg_task_member *member, struct fg_mailbox **box, unsigned most);
/* Leaves this task in an empty mailbox. False: it is not empty. */
bool fg_task_mail_one(struct fg_task_member *member, struct fg_deferred *task, struct fg_mailbox *box);
/* Takes a batch that may run on top of `within`, as in fg_task_find. Returns one task of it, and puts the others into
 * the member's deque. NULL: there is none. */
struct fg_deferred *fg_task_mail_take(struct fg_task_member *member, struct fg_mailbox *box, struct fg_family *within);
/* Does the same in all mailboxes. */
struct fg_deferred *fg_task_mail_take_any(struct fg_task_member *member, struct fg_family *within);
/* True: some mailbox has such a batch. */
bool fg_task_mail_waits(const struct fg_task_pool *pool, const struct fg_family *within);
