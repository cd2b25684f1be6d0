/* Ready tasks (floor: team); see ready.h. */
#include "team/tasks/ready.h"

static const struct fg_family nobody; /* nothing descends from it */

struct fg_family *
fg_task_within(const struct fg_task *task)
{
	return task->children ? task->children : (struct fg_family *)&nobody;
}

void
fg_task_ready(struct fg_task_member *member, struct fg_deferred *task)
{
	struct fg_task_pool *pool = task->pool;
	struct fg_family *family = task->task.family;
	assert(!member || member->pool == pool);
	if (!member || task->priority)
		fg_task_queue_put(&pool->queue, task);
	else
		fg_task_keep(member, task, family);
	fg_task_wake_one(member, pool, family);
}
