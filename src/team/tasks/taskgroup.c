/* Taskgroup (floor: team); see taskgroup.h. */
#include "team/tasks/taskgroup.h"

#include "exec/thread/events.h"
#include "platform/memory.h"
#include "team/tasks/pool_end.h"
#include "team/tasks/wait.h"
#include "trace/format.h"

#define FREE_MAX 64

static struct fg_taskgroup *
group_get(struct fg_task_member *member)
{
	struct fg_taskgroup *group = member->free_groups;
	if (!group)
		return fg_memory_get(sizeof *group);
	member->free_groups = group->outer;
	member->n_free_groups--;
	return group;
}

static void
group_put(struct fg_taskgroup *group)
{
	struct fg_task_member *member = group->owner;
	assert((member->n_free_groups == 0) == !member->free_groups && group != member->free_groups);
	if (member->n_free_groups >= FREE_MAX) {
		fg_memory_free(group);
		return;
	}
	group->outer = member->free_groups;
	member->free_groups = group;
	member->n_free_groups++;
}

struct fg_taskgroup *
fg_taskgroup_start(struct fg_identity *self, bool hidden)
{
	struct fg_task_member *member = self->thread.groups_lost ? NULL : fg_task_member(self);
	struct fg_taskgroup *group = member ? group_get(member) : NULL;
	if (__builtin_expect(!group, 0)) {
		self->thread.groups_lost++;
		return NULL;
	}
	struct fg_task *task = fg_task_current(self);
	struct fg_taskgroup *outer = task->group;
	assert(group != outer);
	*group = (struct fg_taskgroup){
		.outer = outer, .owner = member, .hidden = hidden, .reductions = outer ? outer->reductions : NULL};
	task->group = group;
	fg_worker_trace(FG_EVENT_group, self, 0, 0);
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
	fg_assert_inside(self);
	if (__builtin_expect(self->thread.groups_lost != 0, 0)) {
		self->thread.groups_lost--;
		return;
	}
	struct fg_task *task = fg_task_current_or_null(self);
	if (!task || !task->group)
		return;
	struct fg_taskgroup *group = task->group;
	fg_worker_trace(FG_EVENT_wait_tasks, self, FG_TRACE_GROUP, 0);
	assert(group->owner == self->thread.tasks);
	if (!is_over(group))
		fg_task_wait(self, group->owner, fg_task_within(task), is_over, group);
	assert(is_over(group) && task->group == group);
	fg_worker_trace(FG_EVENT_go_tasks, self, FG_TRACE_GROUP, 0);
	fg_happens_after(group);
	task->group = group->outer;
	group_put(group);
	fg_task_pool_trim(self);
}
