/* Ready tasks: where they lie, and which thread may take them (floor: team; called by the files of tasks and by
 * gomp).
 *
 * The caller has the task in hand, inside and without a lock: no other thread can take it before it lies there. It
 * wakes a member afterwards, and no longer touches the task. */
#pragma once
#include "team/tasks/wake.h"

/* Puts a task into the member's own deque. If the deque cannot grow, the task goes into the queue. */
static inline void
fg_task_keep(struct fg_task_member *member, struct fg_deferred *task, struct fg_family *family)
{
	if (__builtin_expect(!fg_deque_push(&member->deque, task, family), 0))
		fg_task_keep_slow(member, task, family);
}

/* Returns the family whose tasks a thread may take while this task waits, as in fg_task_find: its descendants, even
 * where it is untied. OpenMP allows more for untied tasks. But if a task holds a lock, a task on top of it could want
 * that lock. No other libgomp takes more either. */
struct fg_family *fg_task_within(const struct fg_task *task);
/* A deferred task may run now: puts it where members look. `member` NULL: the caller is no member of the pool. */
void fg_task_ready(struct fg_task_member *member, struct fg_deferred *task);
