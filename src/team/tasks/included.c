/* Included tasks (floor: team); see included.h. */
#include "team/tasks/included.h"

#include "team/tasks/copy.h"
#include "team/tasks/detach.h"
#include "team/tasks/wait.h"

/* Returns the caller's ICVs for a task that runs now. A value that this task sets must not reach the caller. So a
 * private set is copied to *own. The thread that writes a shared set copies it first. */
static inline struct fg_icv *
inherited(struct fg_identity *self, struct fg_icv *own)
{
	struct fg_icv *icv = self->thread.icv;
	if (__builtin_expect(!icv || !icv->private_copy, 1))
		return icv;
	*own = *icv;
	own->private_copy = false;
	return own;
}

static void
run(struct fg_identity *self, struct fg_task *parent, const struct fg_task_order *order)
{
	struct fg_icv icv;
	struct fg_task task;
	task.around = parent;
	task.family = task.children = NULL;
	task.group = parent ? parent->group : NULL;
	task.depends = NULL;
	task.nested = parent ? parent->nested + 1 : 0;
	task.lock_owner = 0;
	task.final = order->final || (parent && parent->final);
	struct fg_task_resume resume = fg_task_take_up(self, &task, inherited(self, &icv));
	if (__builtin_expect(order->copy || order->range, 0))
		fg_task_call(self, fg_task_run_copied, (void *)order);
	else if (order->fn)
		fg_task_call(self, order->fn, order->data);
	assert(self->thread.task == &task);
	fg_task_put_down(self, &resume);
	fg_task_body_over(self->thread.tasks, &task);
}

static bool
is_complete(void *task)
{
	return fg_load_acquire(&((struct fg_deferred *)task)->complete);
}

/* There was no memory for a deferred task, so the one that the event leads to lies on the creator's stack. */
static void
run_with_event(struct fg_identity *self, struct fg_task *parent, const struct fg_task_order *order)
{
	struct fg_deferred task = {.pool = NULL};
	assert(fg_load_relaxed(&task.complete) == 0);
	*order->event = fg_detach_new(&task);
	if (order->data)
		*(uint64_t *)order->data = *order->event;
	run(self, parent, order);
	fg_task_nap(self, parent, is_complete, &task);
	fg_happens_after(&task.complete);
}

void
fg_task_include(struct fg_identity *self, struct fg_task *parent, const struct fg_task_order *order)
{
	fg_assert_inside(self);
	if (__builtin_expect(!order->event, 1))
		run(self, parent, order);
	else
		run_with_event(self, parent, order);
}
