/* Taskgroup (floor: team; called by gomp). */
#include "team/taskgroup.h"

#include <stdlib.h>

#include "team/task_run.h"

struct fg_taskgroup *
fg_taskgroup_start(struct fg_identity *self, bool hidden)
{
	struct fg_task *task = fg_task_current(self);
	struct fg_taskgroup *group = fg_task_memory(sizeof *group);
	group->owner = fg_task_member(self);
	group->outer = task->group;
	group->hidden = hidden;
	group->reductions = group->outer ? group->outer->reductions : NULL;
	task->group = group;
	return group;
}

static bool
is_over(void *arg)
{
	const struct fg_taskgroup *group = arg;
	return group->pending + fg_load_acquire(&group->others) == 0;
}

void
fg_taskgroup_end(struct fg_identity *self)
{
	struct fg_task *task = fg_task_current_or_null(self);
	if (!task || !task->group)
		return;
	struct fg_taskgroup *group = task->group;
	if (!is_over(group))
		fg_task_wait(self, group->owner, fg_task_within(task), is_over, group);
	fg_happens_after(group);
	task->group = group->outer;
	free(group);
	fg_task_pool_trim(self);
}
