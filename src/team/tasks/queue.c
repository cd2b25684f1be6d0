/* Queue: the tasks that belong to no member (floor: team); see pool.h.
 *
 * Any member of the team may put, take and look, inside, perhaps under a bucket of the parking lot. The queue has a
 * lock of its own (rank TASKS). Under it:
 *
 *     the tasks lie in the order of their priorities, and those of one priority in the order in which they came */
#include "team/tasks/pool.h"

#ifndef NDEBUG
/* Under the lock. */
static bool
queue_valid(const struct fg_task_queue *queue)
{
	assert((fg_load_relaxed(&queue->count) == 0) == !queue->first);
	assert(!queue->first || (queue->last && !queue->last->next));
	assert(!queue->first || queue->first->priority >= queue->last->priority);
	return true;
}
#endif

void
fg_task_queue_put(struct fg_task_queue *queue, struct fg_deferred *task)
{
	fg_spinlock_lock(&queue->lock);
	struct fg_deferred **at = &queue->first;
	if (queue->first && queue->last->priority >= task->priority)
		at = &queue->last->next;
	while (*at && (*at)->priority >= task->priority)
		at = &(*at)->next;
	task->next = *at;
	*at = task;
	if (!task->next)
		queue->last = task;
	fg_store_release(&queue->count, fg_load_relaxed(&queue->count) + 1);
	assert(queue_valid(queue));
	fg_spinlock_unlock(&queue->lock);
}

bool
fg_task_queue_has(struct fg_task_queue *queue, const struct fg_family *within)
{
	fg_spinlock_lock(&queue->lock);
	const struct fg_deferred *task = queue->first;
	while (task && !fg_family_descends(task->task.family, within))
		task = task->next;
	fg_spinlock_unlock(&queue->lock);
	return task;
}

struct fg_deferred *
fg_task_queue_take(struct fg_task_queue *queue, const struct fg_family *within)
{
	if (!fg_load_relaxed(&queue->count))
		return NULL;
	fg_spinlock_lock(&queue->lock);
	struct fg_deferred **at = &queue->first, *before = NULL;
	while (*at && within && !fg_family_descends((*at)->task.family, within)) {
		before = *at;
		at = &before->next;
	}
	struct fg_deferred *task = *at;
	if (task) {
		*at = task->next;
		if (queue->last == task)
			queue->last = before;
		fg_store_relaxed(&queue->count, fg_load_relaxed(&queue->count) - 1);
	}
	assert(queue_valid(queue));
	fg_spinlock_unlock(&queue->lock);
	return task;
}
