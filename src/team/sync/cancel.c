/* Cancellation (floor: team): see cancel.h. */
#include "team/sync/cancel.h"

#include "exec/thread/events.h"
#include "team/sync/timed_wait.h"
#include "team/tasks/cancelled.h"
#include "team/tasks/wait.h"

static struct fg_taskgroup *
current_group(struct fg_identity *self)
{
	if (self->thread.groups_lost) /* its tasks are complete, so there are none to cancel */
		return NULL;
	struct fg_task *task = fg_task_current_or_null(self);
	return task ? fg_taskgroup_cancellable(task->group) : NULL;
}

bool
fg_cancel(struct fg_identity *self, int kind)
{
	fg_assert_inside(self);
	if (kind == FG_CANCEL_TASKGROUP) {
		struct fg_taskgroup *group = current_group(self);
		if (group)
			fg_store_release(&group->cancelled, 1);
		return true;
	}
	if (self->thread.size == 1)
		return true; /* no other thread needs to know */
	struct fg_task_pool *pool = fg_task_pool(self);
	if (kind != FG_CANCEL_PARALLEL) {
		fg_store_release(&pool->share_cancelled, 1);
		return true;
	}
	fg_spinlock_lock(&pool->lock);
	fg_store_release(&pool->cancelled, 1);
	fg_spinlock_unlock(&pool->lock);
	fg_task_wake_all(pool);
	return true;
}

bool
fg_cancel_point(struct fg_identity *self, int kind)
{
	fg_assert_inside(self);
	struct fg_team *team = self->thread.team;
	struct fg_task_pool *pool = team ? fg_load_acquire(&team->tasks) : NULL;
	if (kind == FG_CANCEL_LOOP || kind == FG_CANCEL_SECTIONS)
		return pool && fg_load_acquire(&pool->share_cancelled);
	if (kind == FG_CANCEL_TASKGROUP) {
		struct fg_taskgroup *group = current_group(self);
		if (group && fg_load_acquire(&group->cancelled))
			return true;
	}
	/* Cancelling a region cancels its explicit tasks too. */
	return pool && fg_load_acquire(&pool->cancelled);
}

struct arrival {
	struct fg_task_pool *pool;
	uint32_t phase;
	bool cancellable;
};

static bool
is_over(void *arg)
{
	const struct arrival *arrival = arg;
	return fg_load_acquire(&arrival->pool->phase) != arrival->phase ||
	       (arrival->cancellable && fg_load_acquire(&arrival->pool->cancelled));
}

/* The phase changes only under the lock. So a thread whose phase is still open when it finds the region cancelled
 * takes its arrival back. The count stays that of the threads inside. */
static bool
cross(struct fg_identity *self, bool cancellable)
{
	struct fg_task_pool *pool = fg_task_pool(self);
	if (!pool) /* of a team of one */
		return false;
	fg_spinlock_lock(&pool->lock);
	if (cancellable && fg_load_relaxed(&pool->cancelled)) {
		fg_spinlock_unlock(&pool->lock);
		return true;
	}
	struct arrival arrival = {pool, fg_load_relaxed(&pool->phase), cancellable};
	const void *name = arrival.phase & 1 ? &pool->phase : &pool->cancelled; /* as in barrier.c */
	fg_happens_before(name);
	bool last = ++pool->arrived == pool->size;
	if (last) {
		pool->arrived = 0;
		fg_store_relaxed(&pool->share_cancelled, 0);
		fg_store_release(&pool->phase, arrival.phase + 1);
	}
	fg_spinlock_unlock(&pool->lock);
	if (last)
		fg_task_wake_all(pool);
	else
		fg_task_wait_at(self, arrival.phase + 1, is_over, &arrival);
	if (!cancellable || last) {
		fg_happens_after(name);
		fg_task_barrier(self, pool, arrival.phase + 1);
		return false;
	}
	fg_spinlock_lock(&pool->lock);
	bool cancelled = fg_load_relaxed(&pool->phase) == arrival.phase;
	if (cancelled)
		pool->arrived--;
	fg_spinlock_unlock(&pool->lock);
	if (!cancelled) {
		fg_happens_after(name);
		fg_task_barrier(self, pool, arrival.phase + 1);
	}
	return cancelled;
}

bool
fg_cancel_barrier(struct fg_identity *self, bool cancellable)
{
	fg_assert_inside(self);
	if (!self->thread.team)
		return false;
	fg_worker_trace(FG_EVENT_wait, self, 0, 0);
	fg_timed_wait(self);
	bool cancelled = cross(self, cancellable);
	fg_worker_trace(FG_EVENT_go, self, 0, 0);
	fg_timed_wait_end(self);
	return cancelled;
}
