/* Ready tasks: where they are put, and who may take them (floor: team; called by the files of tasks). */
#pragma once
#include "team/tasks/wake.h"

/* Puts a task into the member's own deque; where that cannot grow, into the queue. */
static inline void
fg_task_keep(struct fg_task_member *member, struct fg_deferred *task, struct fg_family *family)
{
	if (__builtin_expect(!fg_deque_push(&member->deque, task, family), 0))
		fg_task_queue_put(&member->pool->queue, task);
}

/* What a thread may take while this task waits, as in fg_task_find: its descendants, also where it is untied. OpenMP allows more then, but a
 * task that holds a lock meanwhile could have one on top that wants it, and no other libgomp does so. */
struct fg_family *fg_task_within(const struct fg_task *task);
/* A deferred task may run now. member NULL: the caller is none of the pool's. */
void fg_task_ready(struct fg_task_member *member, struct fg_deferred *task);
