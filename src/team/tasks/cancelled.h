/* Cancelled: which tasks must not start any more (floor: team; called by create.c, run.c, sync/cancel.c and gomp).
 *
 * A member asks, inside or outside, perhaps with a lock held. Only words are read: once true, the answer stays true
 * until the group or the region ends. */
#pragma once
#include "team/inside.h"
#include "team/tasks/pool.h"

/* Returns the group that `cancel taskgroup` means. The hidden group of a worksharing construct stands for the group
 * around it. */
static inline struct fg_taskgroup *
fg_taskgroup_cancellable(const struct fg_taskgroup *group)
{
	return (struct fg_taskgroup *)(group && group->hidden ? group->outer : group);
}

/* True: tasks of this group must not start any more, because it or the parallel region was cancelled. */
FG_ANYWHERE bool fg_cancel_drops_tasks(const struct fg_task_pool *pool, const struct fg_taskgroup *group);
