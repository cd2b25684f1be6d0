/* Cancelled (floor: team); see cancelled.h. */
#include "team/tasks/cancelled.h"

#include "team/team.h"

bool
fg_cancel_drops_tasks(const struct fg_task_pool *pool, const struct fg_taskgroup *group)
{
	if (!fg_env.cancellation || !pool)
		return false;
	const struct fg_taskgroup *target = fg_taskgroup_cancellable(group);
	return (pool->team && fg_load_acquire(&pool->team->cancelled)) ||
	       (target && fg_load_acquire(&target->cancelled)) || (group && fg_load_acquire(&group->cancelled));
}
