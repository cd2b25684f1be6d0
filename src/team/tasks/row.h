/* Row: tasks of a taskloop that follow each other, as one deferred task (floor: team; used by deferred.c and
 * run.c, and by gomp/taskloop.c).
 *
 * The member that takes a row runs its tasks at once, one after the other. Before each it splits off the upper half of
 * what is left, as long as its deque is empty, or the row is long: two rows are made for each member of the team. A
 * thief may take that half. So most tasks that no thief wants are neither allocated nor counted.
 *
 * Counting. The member that met the loop splits rows off the loop itself. They are counted in the loop's taskgroup, as
 * all tasks are. A row that was split from another one is in no taskgroup. The other one, its *whole*, counts it:
 *
 *     row.left of a whole == (1 until its body is over) + rows split from it that are not over
 *
 * A row is over when its `left` is 0. The thread that brings it there counts the row out of its family and its
 * taskgroup, gives its memory back, and then leaves its whole.
 *
 * Proof sketch. Only the member that runs the body of a row raises `left`, and the body's own 1 is in it. So `left`
 * never rises from 0, and one thread brings it there. A row that is not over keeps `left` of its whole above 0. So the
 * whole and its memory are there. Each subtraction is an acquire and a release. So the thread that ends a row has seen
 * what the tasks of all rows split from it have written, and the thread that waits for the loop sees that, too. The
 * tasks that a row's tasks create are counted in the loop's taskgroup. This row and its wholes are not over meanwhile,
 * so the taskgroup's count is not 0 too early.
 *
 * For a barrier a row is complete when its body is over (run.c), because the rows split from it are tasks of their own.
 * Its member tells that after it has counted out. So no thread touches a row once all tasks are complete. */
#pragma once
#include <stddef.h>

#include "team/inside.h"
#include "team/tasks/pool.h"

struct fg_mailbox;
struct fg_task_order;

/* True: the member has no task that a thief could take, so its row must be split. */
FG_ANYWHERE static inline bool
fg_task_row_is_wanted(const struct fg_task_member *member)
{
	return fg_deque_count(&member->deque) == 0;
}

/* Makes the task a row, which was split from `whole`. The caller runs that. NULL: the caller met the loop. */
static inline void
fg_task_row_split(struct fg_deferred *task, struct fg_deferred *whole)
{
	assert(!whole || (whole->counted == FG_TASK_ROW && fg_load_relaxed(&whole->row.left) > 0));
	task->counted = FG_TASK_ROW;
	task->row.whole = whole;
	fg_store_relaxed(&task->row.left, 1);
	if (!whole)
		return;
	task->created_in = NULL;
	fg_add_relaxed(&whole->row.left, 1);
}

/* The body of the row is over, or a row that was split from it. True: the row itself is over, and was split from
 * *whole. */
static inline bool
fg_task_row_leave(struct fg_deferred *row, struct fg_deferred **whole)
{
	*whole = row->row.whole;
	return fg_sub_acq_rel(&row->row.left, 1) == 1;
}

/* Defers a row. `whole` is as above. The row goes to this mailbox if that is empty. Else, or for NULL, it goes to the
 * caller's deque. False: there is no memory. */
FG_INSIDE bool fg_task_defer_row(struct fg_identity *self, struct fg_deferred *whole, const struct fg_task_order *order,
				 struct fg_mailbox *box);
/* Returns the row whose body calls this. */
FG_ANYWHERE static inline struct fg_deferred *
fg_task_row(const struct fg_identity *self)
{
	return (struct fg_deferred *)((char *)self->thread.task - offsetof(struct fg_deferred, task));
}
