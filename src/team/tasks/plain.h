/* Plain tasks that run at their creation (floor: team; called by gomp). A plain task has nothing but code and data,
 * and no clause that asks for more. Most tasks of a program are plain, so they get no more than a task has while it
 * runs. All other tasks go through create.c.
 *
 * All that these functions touch belongs to the running thread and moves with it: its task, its ICVs, the owner's side
 * of its deque. So they do not enter the runtime. The thread may be preempted anywhere, and a thread that holds its
 * worker meanwhile touches none of this. */
#pragma once
#include "team/inside.h"
#include "team/tasks/create.h"
#include "team/tasks/limit.h"

FG_OUTSIDE static inline struct fg_task *
fg_task_plain_parent(struct fg_identity *self)
{
	fg_assert_outside(self);
	return self->thread.task ? self->thread.task : &self->thread.tasks->implicit;
}

/* True: a plain task of the caller can run here, as long as it runs at once. */
FG_OUTSIDE static inline bool
fg_task_plain_here(struct fg_identity *self)
{
	fg_assert_outside(self);
	const struct fg_task_member *member = self->thread.tasks;
	const struct fg_icv *icv = self->thread.icv;
	return __builtin_expect(member && member->plain && !fg_load_relaxed(&self->away) &&
					!(icv && icv->private_copy) &&
					fg_task_plain_parent(self)->nested < FG_NESTED_MAX,
				1);
}

/* True: the task may run at once, because enough tasks wait for all members that might come. */
FG_OUTSIDE static inline bool
fg_task_plain_may(struct fg_identity *self)
{
	fg_assert_outside(self);
	struct fg_task_member *member = self->thread.tasks;
	return fg_deque_still_holds(&member->deque, member->limit);
}

/* True: the task must run at once. */
FG_OUTSIDE static inline bool
fg_task_plain_must(struct fg_identity *self)
{
	fg_assert_outside(self);
	return self->thread.size == 1 || fg_task_plain_parent(self)->final;
}

/* Finds the task around an undeferred task of the caller that can run here. False: it cannot. *parent == NULL: an
 * implicit task that has not met tasks. No other thread has prepared anything for it, because that needs the team's
 * pool. */
FG_OUTSIDE static inline bool
fg_task_undeferred_here(struct fg_identity *self, struct fg_task **parent)
{
	fg_assert_outside(self);
	const struct fg_icv *icv = self->thread.icv;
	if (!fg_env.plain_tasks || fg_load_relaxed(&self->away) || (icv && icv->private_copy))
		return false;
	*parent = self->thread.task;
	if (*parent)
		return true;
	if (self->thread.tasks) {
		*parent = &self->thread.tasks->implicit;
		return true;
	}
	return !self->thread.team || !fg_load_relaxed(&self->thread.team->tasks);
}

static inline void
fg_task_plain_init(struct fg_task *task, struct fg_task *parent, bool final)
{
	task->around = parent;
	task->family = task->children = NULL;
	task->group = parent->group;
	task->depends = NULL;
	task->nested = parent->nested + 1;
	task->lock_owner = 0;
	task->final = final | parent->final;
}

/* A task with a table of dependences has had a deferred child, so it has a family. So task.children != NULL tells of
 * both. */
FG_OUTSIDE static inline void
fg_task_plain_run(struct fg_identity *self, struct fg_task *parent, void (*fn)(void *), void *data, bool final)
{
	fg_assert_outside(self);
	struct fg_task *outer = self->thread.task;
	struct fg_icv *icv = self->thread.icv;
	struct fg_task task;
	if (parent)
		fg_task_plain_init(&task, parent, final);
	else
		task = (struct fg_task){.final = final};
	self->thread.task = &task;
	fn(data);
	if (__builtin_expect(self->thread.icv != icv || task.children || fg_load_relaxed(&self->worker->notice), 0))
		fg_task_plain_end(self, icv);
	self->thread.task = outer;
}

/* Does the same where the deque held enough tasks, and looks whether it ran dry. */
FG_OUTSIDE static inline void
fg_task_plain_run_instead(struct fg_identity *self, void (*fn)(void *), void *data, bool final)
{
	fg_assert_outside(self);
	fg_task_plain_run(self, fg_task_plain_parent(self), fn, data, final);
	struct fg_task_member *member = self->thread.tasks;
	if (__builtin_expect(fg_deque_count(&member->deque) == 0, 0))
		fg_task_ran_dry(member);
}
