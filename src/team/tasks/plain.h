/* Plain tasks that run at their creation (floor: team; called by gomp): nothing but code and data, no clause that asks for more. Most
 * tasks of a program are of this kind, so they get no more than a task has while it runs; everything else is for create.c.
 *
 * All that this touches belongs to the running thread and moves with it: its task, its ICVs, the owner's side of its deque. So it is
 * no entry into the runtime: it may be preempted anywhere, and who holds the thread's worker meanwhile touches none of it. */
#pragma once
#include "team/inside.h"
#include "team/tasks/create.h"

FG_OUTSIDE static inline struct fg_task *
fg_task_plain_parent(struct fg_identity *self)
{
	fg_assert_outside(self);
	return self->thread.task ? self->thread.task : &self->thread.tasks->implicit;
}

/* A plain task of the caller can run here as long as it runs at once. */
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

/* It may run at once: enough tasks wait for all who might come for some. */
FG_OUTSIDE static inline bool
fg_task_plain_may(struct fg_identity *self)
{
	fg_assert_outside(self);
	struct fg_task_member *member = self->thread.tasks;
	return fg_deque_still_holds(&member->deque, member->limit);
}

/* It must. */
FG_OUTSIDE static inline bool
fg_task_plain_must(struct fg_identity *self)
{
	fg_assert_outside(self);
	return self->thread.size == 1 || fg_task_plain_parent(self)->final;
}

/* The task around an undeferred task of the caller, which can run here; false: it cannot. NULL: an implicit task that has not met tasks, and
 * for which nobody has prepared anything: before its team has a pool nobody can. */
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

/* Who has a table of dependences has had a deferred child, and so has a family. */
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
	if (__builtin_expect(self->thread.icv != icv || task.children, 0))
		fg_task_plain_clean(self, icv);
	self->thread.task = outer;
}

/* The same where the deque held enough. */
FG_OUTSIDE static inline void
fg_task_plain_run_instead(struct fg_identity *self, void (*fn)(void *), void *data, bool final)
{
	fg_assert_outside(self);
	fg_task_plain_run(self, fg_task_plain_parent(self), fn, data, final);
	struct fg_task_member *member = self->thread.tasks;
	if (__builtin_expect(fg_deque_count(&member->deque) == 0, 0))
		fg_task_ran_dry(member);
}
