/* Taskgroup (floor: team; called by gomp). */
#include "team/taskgroup.h"
#include <assert.h>
#include <stdlib.h>

struct fg_taskgroup *
fg_taskgroup_start(struct fg_identity *self, bool hidden)
{
	struct fg_task *task = fg_task_current(self);
	struct fg_taskgroup *group = fg_task_memory(sizeof *group);
	group->outer = task->group;
	group->hidden = hidden;
	group->reductions = group->outer ? group->outer->reductions : NULL;
	task->group = group;
	return group;
}

void
fg_taskgroup_end(struct fg_identity *self)
{
	struct fg_task *task = fg_task_current_or_null(self);
	if (!task || !task->group)
		return;
	struct fg_taskgroup *group = task->group;
	fg_task_wait_group(self, group);
	task->group = group->outer;
	free(group);
	fg_task_pool_trim(self);
}
