/* Run (floor: team): see run.h. */
#include "team/tasks/run.h"

#include <inttypes.h>

#include "base/log.h"
#include "exec/thread/clock.h"
#include "exec/thread/events.h"
#include "team/tasks/cancelled.h"
#include "team/tasks/detach.h"
#include "team/tasks/mail.h"
#include "team/tasks/row.h"

/* Takes so many tasks out of all counts, of which this is one. `member` is the caller's in the task's pool. NULL: the
 * caller has none there. */
static inline __attribute__((always_inline)) void
count_out(struct fg_task_member *member, struct fg_deferred *task, uint32_t n)
{
	struct fg_task_pool *pool = task->pool;
	struct fg_taskgroup *group = task->created_in;
	struct fg_family *family = task->task.family;
	if (group && member && group->owner == member)
		group->pending -= n;
	else if (group) {
		struct fg_task_member *owner = group->owner;
		fg_sub_acq_rel(&group->others, n);
		if (owner)
			fg_task_wake_member(owner, pool);
	}
	struct fg_task_member *parent = family->owner;
	assert(parent->pool == pool);
	if (fg_family_leave_many(family, parent == member, n))
		fg_family_release(family, member ? &member->store : NULL);
	if (parent != member)
		fg_task_wake_member(parent, pool);
}

/* Tells the race detector for all that wait for the task: its parent, its taskgroup, a barrier, and its creator if it
 * is undeferred. */
static void
tell_watcher(const struct fg_deferred *task)
{
	fg_happens_before(task->task.family);
	if (task->created_in)
		fg_happens_before(task->created_in);
	fg_happens_before(task->pool);
	fg_happens_before(&task->complete);
}

/* The caller has ended the body of the row. */
static void
count_out_row(struct fg_task_member *member, struct fg_deferred *row)
{
	struct fg_deferred *whole;
	for (; row; row = whole) {
		fg_happens_before(&row->row);
		if (!fg_task_row_leave(row, &whole))
			return;
		fg_happens_after(&row->row);
		count_out(member, row, 1);
		fg_store_put(member ? &member->store : NULL, &row->block);
	}
}

static __attribute__((noinline)) void
count_out_slow(struct fg_task_member *member, struct fg_deferred *task)
{
	if (task->counted == FG_TASK_AWAITED) {
		count_out(member, task, 1);
		fg_store_release(&task->complete, 1);
		return;
	}
	if (task->counted == FG_TASK_ROW) {
		count_out_row(member, task);
		return;
	}
	struct fg_deferred *first = fg_task_batch_leave(task);
	if (!first)
		return;
	count_out(member, first, first->batch.size);
	fg_store_put_chain(&first->block, &first->batch.last->block);
}

/* `runner` is the member if it ran the task. Then the tasks that become ready may lie in its deque, except one that is
 * returned for it to run. */
static struct fg_deferred *
complete(struct fg_task_member *member, struct fg_task_member *runner, struct fg_deferred *task)
{
	struct fg_task_pool *pool = task->pool;
	struct fg_deferred *next = NULL;
	assert(!member || member->pool == pool);
	assert(!runner || runner == member);
	assert(fg_load_relaxed(&task->complete) == 0);
	if (fg_watched())
		tell_watcher(task);
	if (task->node)
		next = fg_depend_complete(runner, task->node);
	if (__builtin_expect(task->counted == FG_TASK_ALONE, 1)) {
		count_out(member, task, 1);
		fg_store_put(member ? &member->store : NULL, &task->block);
	} else
		count_out_slow(member, task);
	if (member)
		fg_store_release(&member->completed, fg_load_relaxed(&member->completed) + 1);
	else
		fg_add_release(&pool->foreign_completed, 1);
	return next;
}

/* Ends an event that is fulfilled. With cancellation an event that is over may have been dropped, and the thread that
 * fulfils it could not know. */
static struct fg_deferred *
event_end(uint64_t event)
{
	struct fg_deferred *task;
	switch (fg_detach_end(event, FG_DETACH_FULFILLED, &task)) {
	case FG_DETACH_IS_ENDED:
		return task;
	case FG_DETACH_IS_OVER:
		if (fg_env.cancellation)
			return NULL;
		__attribute__((fallthrough));
	case FG_DETACH_WAS_FULFILLED:
		fg_fatal("omp_fulfill_event: %#" PRIx64 " event already fulfilled", event);
	case FG_DETACH_WAS_DROPPED:
		return NULL;
	case FG_DETACH_IS_NONE:
		break;
	}
	fg_error("omp_fulfill_event: %" PRIu64 " is no event handle, the handle of a detach clause is wanted; ignored",
		 event);
	return NULL;
}

void
fg_task_fulfill(struct fg_identity *self, uint64_t event)
{
	fg_assert_inside(self);
	struct fg_deferred *task = event_end(event);
	if (!task)
		return;
	struct fg_task_pool *pool = task->pool;
	if (__builtin_expect(!pool, 0)) {
		fg_happens_before(&task->complete);
		fg_store_release(&task->complete, 1);
		return;
	}
	fg_add_relaxed(&pool->users, 1); /* it keeps the pool until this thread is done with it */
	fg_happens_before(&task->missing);
	assert(fg_load_relaxed(&task->missing) & FG_TASK_EVENT);
	uint32_t missing = fg_and_acq_rel(&task->missing, ~(uint32_t)FG_TASK_EVENT);
	bool ours = self && fg_task_pool_or_null(self) == pool;
	fg_happens_after(&task->missing);
	fg_add_relaxed(&pool->events, -1u);
	if (missing == FG_TASK_EVENT)
		complete(ours ? fg_task_member(self) : NULL, NULL, task);
	fg_task_wake_all(pool);
	fg_add_release(&pool->users, -1u);
}

/* The task will not run. So no member waits for its event, unless a thread fulfils it at this moment. */
static void
drop_event(struct fg_deferred *task)
{
	struct fg_deferred *same;
	if (!(fg_load_relaxed(&task->missing) & FG_TASK_EVENT) ||
	    fg_detach_end(task->event, FG_DETACH_DROPPED, &same) != FG_DETACH_IS_ENDED)
		return;
	fg_and_acq_rel(&task->missing, ~(uint32_t)FG_TASK_EVENT);
	fg_add_relaxed(&task->pool->events, -1u);
}

/* A member that waits uses its PU while it runs a task, so its clock goes meanwhile. */
static void
call_clocked(struct fg_identity *self, void (*fn)(void *), void *data)
{
	bool stood = self->clock.stopped;
	fg_clock_go(self, stood);
	fg_task_call(self, fn, data);
	if (stood)
		fg_clock_stop(self);
}

/* The record of the caller as a member of this call, if the call is timed. The member may have ended. */
static inline struct fg_trace_sum *
sums_of(const struct fg_identity *self)
{
	const struct fg_team *team = self->thread.team;
	if (__builtin_expect(!fg_recording.sums, 1) || !team || !team->births.bubble.sums)
		return NULL;
	if (self->thread.sums)
		return self->thread.sums;
	return self->sums_over && self->sums_over->call == team->births.bubble.sums->call ? self->sums_over : NULL;
}

struct fg_deferred *
fg_task_run(struct fg_identity *self, struct fg_task_member *member, struct fg_deferred *task)
{
	assert(member == self->thread.tasks && task->pool == member->pool);
	assert(fg_load_relaxed(&task->missing) & FG_TASK_BODY);
	fg_take_over(&task->fn);
	bool dropped = fg_env.cancellation && !task->copied && fg_cancel_drops_tasks(task->pool, task->created_in);
	fg_happens_after(task);
	if (task->fn && !dropped) {
		struct fg_task_resume resume = fg_task_take_up(self, &task->task, task->icv);
		uint64_t fn = (uintptr_t)task->fn;
		uint32_t number = fg_deferred_number(task);
		fg_worker_trace(FG_EVENT_task, self, number, fn);
		fg_sums_task(sums_of(self));
		if (__builtin_expect(fg_clock_on, 0))
			call_clocked(self, task->fn, task->data);
		else
			fg_task_call(self, task->fn, task->data);
		fg_worker_trace(FG_EVENT_task_end, self, number, fn);
		struct fg_trace_sum *sums = sums_of(self);
		if (__builtin_expect(sums != NULL, 0))
			fg_sums_task_end_slow(sums, self->thread.team->births.bubble.sums);
		assert(self->thread.task == &task->task);
		fg_task_put_down(self, &resume);
		fg_task_body_over(member, &task->task);
	}
	if (dropped)
		drop_event(task);
	fg_happens_before(&task->missing);
	/* The event may be fulfilled already. All that came before that comes before all that waits for the task. */
	if (fg_load_acquire(&task->missing) == FG_TASK_BODY ||
	    fg_and_acq_rel(&task->missing, ~(uint32_t)FG_TASK_BODY) == FG_TASK_BODY) {
		fg_happens_after(&task->missing);
		return complete(member, member, task);
	}
	return NULL;
}
