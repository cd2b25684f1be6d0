/* Waiting for tasks: the waiter runs those it may until the condition holds, then sleeps (floor: team; called by gomp and the
 * barriers).
 *
 * What runs on top of a suspended tied task must descend from it: at a taskwait only children of the current task run, at the
 * end of a taskgroup only tasks of the group, which the current task opened. At a barrier no task is suspended. */
#include "exec/park.h"
#include "team/task.h"
#include "team/task_run.h"
#include <limits.h>

struct wait {
	struct fg_task_pool *pool;
	struct fg_task *children_of;	  /* these may run */
	struct fg_taskgroup *group;	  /* or these; NULL both: any */
	const struct fg_task *successor;  /* until it has no predecessor, */
	const struct fg_task *completion; /* or until it is complete; NULL both: until all that may run are complete */
};

static bool
is_over_locked(const struct wait *wait)
{
	if (wait->successor)
		return wait->successor->predecessors == 0;
	if (wait->completion)
		return wait->completion->complete;
	if (wait->children_of)
		return fg_load_relaxed(&wait->children_of->unfinished) == 0;
	if (wait->group)
		return wait->group->unfinished == 0;
	return fg_load_relaxed(&wait->pool->unfinished) == 0;
}

static struct fg_task **
find_ready_locked(const struct wait *wait)
{
	for (struct fg_task **at = &wait->pool->ready; *at; at = &(*at)->ready_next) {
		if (wait->children_of ? (*at)->parent == wait->children_of
				      : !wait->group || (*at)->created_in == wait->group)
			return at;
	}
	return NULL;
}

static bool
must_sleep(void *arg)
{
	struct wait *wait = arg;
	fg_spinlock_lock(&wait->pool->lock);
	bool sleep = !is_over_locked(wait) && !find_ready_locked(wait);
	fg_spinlock_unlock(&wait->pool->lock);
	return sleep;
}

static void
wait_for(struct fg_identity *self, struct wait *wait)
{
	struct fg_task_pool *pool = wait->pool;
	struct fg_spin spin = FG_SPIN_INIT;
	for (;;) {
		struct fg_task *task = NULL;
		fg_spinlock_lock(&pool->lock);
		bool over = is_over_locked(wait);
		struct fg_task **at = over ? NULL : find_ready_locked(wait);
		if (at) {
			task = *at;
			*at = task->ready_next;
			if (pool->ready_end == &task->ready_next)
				pool->ready_end = at;
		}
		fg_spinlock_unlock(&pool->lock);
		if (over)
			return;
		if (task)
			fg_task_run_deferred(self, task);
		else if (!fg_spin(&spin))
			fg_park(pool, must_sleep, wait);
	}
}

void
fg_task_wait_children(struct fg_identity *self)
{
	struct fg_task *task = fg_task_current_or_null(self);
	if (!task || fg_load_acquire(&task->unfinished) == 0)
		return;
	wait_for(self, &(struct wait){.pool = fg_task_pool(self), .children_of = task});
	fg_task_pool_trim(self);
}

void
fg_task_wait_group(struct fg_identity *self, struct fg_taskgroup *group)
{
	wait_for(self, &(struct wait){.pool = fg_task_pool(self), .group = group});
}

void
fg_task_barrier_wait(struct fg_identity *self)
{
	struct fg_task_pool *pool = self->thread.team ? fg_load_acquire(&self->thread.team->tasks) : NULL;
	if (pool && fg_load_acquire(&pool->unfinished))
		wait_for(self, &(struct wait){.pool = pool});
}

void
fg_task_wait_predecessors(struct fg_identity *self, const struct fg_task *task)
{
	wait_for(self,
		 &(struct wait){.pool = fg_task_pool(self), .children_of = fg_task_current(self), .successor = task});
}

void
fg_task_wait_complete(struct fg_identity *self, const struct fg_task *task)
{
	wait_for(self,
		 &(struct wait){.pool = fg_task_pool(self), .children_of = fg_task_current(self), .completion = task});
}

void
fg_task_wake(struct fg_task_pool *pool)
{
	fg_unpark(pool, UINT_MAX);
}
