/* Run: how a deferred task runs and becomes complete (floor: team; called by included.c, deferred.c, plain.c, wait.c
 * and omp).
 *
 * The caller is the member that runs the task, or the thread that fulfils its event: without a lock, and inside if
 * the runtime has met the thread. A task
 * is counted out once, by the thread that takes the last part from `missing`. */
#pragma once
#include "team/inside.h"
#include "team/tasks/depend_table.h"
#include "team/tasks/ready.h"

/* Runs a deferred task that the member has taken. Returns another task that waited only for this one, or NULL. The
 * member has taken that task, too. */
struct fg_deferred *fg_task_run(struct fg_identity *self, struct fg_task_member *member, struct fg_deferred *task);

/* The event of a detached task has happened. Any thread may call this, even one that the runtime has never met. */
FG_INSIDE void fg_task_fulfill(struct fg_identity *self, uint64_t event);

/* The state of a thread before it took up a task. */
struct fg_task_resume {
	struct fg_task *task;
	struct fg_icv *icv, *given;
};

static inline struct fg_task_resume
fg_task_take_up(struct fg_identity *self, struct fg_task *task, struct fg_icv *icv)
{
	struct fg_task_resume resume = {self->thread.task, self->thread.icv, icv};
	assert(task != resume.task);
	self->thread.icv = icv;
	self->thread.task = task;
	return resume;
}

static inline void
fg_task_put_down(struct fg_identity *self, const struct fg_task_resume *resume)
{
	if (__builtin_expect(self->thread.icv != resume->given, 0))
		fg_icv_release(self);
	self->thread.icv = resume->icv;
	self->thread.task = resume->task;
}

/* The body of the task is over: cleans up after it. */
static inline void
fg_task_body_over(struct fg_task_member *member, struct fg_task *task)
{
	assert(!task->children || task->children->owner == member);
	if (__builtin_expect(task->depends != NULL, 0))
		fg_depend_table_free(task, &member->store);
	if (__builtin_expect(task->children != NULL, 0) && fg_family_end(task->children))
		fg_family_release(task->children, &member->store);
}

static inline void
fg_task_call(struct fg_identity *self, void (*fn)(void *), void *data)
{
	fg_leave(self);
	fn(data);
	fg_enter(self);
}
