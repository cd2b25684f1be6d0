/* Plain tasks (floor: team); see plain.h. */
#include "team/tasks/plain.h"

#include "exec/loop/look.h"
#include "exec/loop/loop.h"
#include "exec/roots/self.h"
#include "team/tasks/copy.h"
#include "team/tasks/depend_table.h"
#include "team/tasks/limit.h"
#include "team/tasks/run.h"

/* Finds the task around a new one. True: a plain task of the caller can run here, as long as it runs at once. */
static inline bool
can_run_here(struct fg_identity *self, struct fg_task **parent)
{
	struct fg_task_member *member = self->thread.tasks;
	const struct fg_icv *icv = self->thread.icv;
	if (__builtin_expect(!member || !member->plain || fg_load_relaxed(&self->away) || (icv && icv->private_copy),
			     0))
		return false;
	*parent = self->thread.task ? self->thread.task : &member->implicit;
	assert(member->pool->size == self->thread.size && member->num == self->thread.num);
	return __builtin_expect((*parent)->nested < FG_NESTED_MAX, 1);
}

/* True: the task may run at once, because enough tasks wait for all members that might come. */
static inline bool
may_run_here(struct fg_identity *self)
{
	struct fg_task_member *member = self->thread.tasks;
	return fg_deque_still_holds(&member->deque, member->limit);
}

/* True: the task must run at once. */
static inline bool
must_run_here(const struct fg_identity *self, const struct fg_task *parent)
{
	return self->thread.size == 1 || parent->final;
}

/* Finds the task around an undeferred task of the caller that can run here. False: it cannot. *parent == NULL: an
 * implicit task that has not met tasks. No other thread has prepared anything for it, because that needs the team's
 * pool. */
static inline bool
undeferred_here(struct fg_identity *self, struct fg_task **parent)
{
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
task_init(struct fg_task *task, struct fg_task *parent, bool final)
{
	task->around = parent;
	task->family = task->children = NULL;
	task->group = parent->group;
	task->depends = NULL;
	task->nested = parent->nested + 1;
	task->lock_owner = 0;
	task->final = final | parent->final;
}

/* Cleans up the children, or ICVs of its own, that the current task has left behind. Gives way if the slice of the
 * thread is over. */
static __attribute__((noinline)) void
clean_up(struct fg_identity *self, struct fg_icv *icv)
{
	assert(!self->thread.task->children || self->thread.tasks);
	fg_enter(self);
	if (self->thread.icv != icv)
		fg_icv_release(self);
	self->thread.icv = icv;
	fg_task_body_over(self->thread.tasks, self->thread.task);
	fg_worker_look(self);
	fg_leave(self);
}

/* A task with a table of dependences has had a deferred child, so it has a family. So task.children != NULL tells of
 * both. */
static inline void
run(struct fg_identity *self, struct fg_task *parent, void (*fn)(void *), void *data, bool final)
{
	struct fg_task *outer = self->thread.task;
	struct fg_icv *icv = self->thread.icv;
	struct fg_task task;
	if (parent)
		task_init(&task, parent, final);
	else
		task = (struct fg_task){.final = final};
	self->thread.task = &task;
	fn(data);
	assert(self->thread.task == &task);
	if (__builtin_expect(self->thread.icv != icv || task.children || fg_load_relaxed(&self->worker->notice), 0))
		clean_up(self, icv);
	self->thread.task = outer;
}

/* Does the same where the deque held enough tasks, and looks whether it ran dry. */
static inline void
run_instead(struct fg_identity *self, struct fg_task *parent, void (*fn)(void *), void *data, bool final)
{
	run(self, parent, fn, data, final);
	struct fg_task_member *member = self->thread.tasks;
	if (__builtin_expect(fg_deque_count(&member->deque) == 0, 0))
		fg_task_ran_dry(member);
}

void
fg_task_with_clauses(const struct fg_task_order *order, void **depend)
{
	struct fg_identity *self = fg_self_or_root();
	fg_assert_outside(self);
	fg_enter(self);
	fg_task_create(self, order, depend);
	fg_leave(self);
}

/* Small tasks spend most of their time in the short ways, so each begins at a cache line. */
#define SHORT_WAY __attribute__((noinline, aligned(64)))

/* Creates a task that cannot go a short way. */
static __attribute__((noinline)) void
create_inside(void (*fn)(void *), void *data, void (*copy)(void *, void *), long size, long align, bool undeferred,
	      unsigned flags, void **depend)
{
	fg_task_with_clauses(&(struct fg_task_order){.fn = fn,
						     .data = data,
						     .copy = copy,
						     .size = (size_t)size,
						     .align = align > 0 ? (size_t)align : 1,
						     .undeferred = undeferred,
						     .final = flags & FG_TASK_FINAL},
			     depend);
}

SHORT_WAY void
fg_task_simple(void (*fn)(void *), void *data, void (*copy)(void *, void *), long size, long align, unsigned flags)
{
	struct fg_identity *self = fg_self();
	struct fg_task *parent;
	fg_assert_outside(self);
	if (self && !copy && can_run_here(self, &parent)) {
		if (may_run_here(self)) {
			run_instead(self, parent, fn, data, flags & FG_TASK_FINAL);
			return;
		}
		if (must_run_here(self, parent)) {
			run(self, parent, fn, data, flags & FG_TASK_FINAL);
			return;
		}
	}
	create_inside(fn, data, copy, size, align, false, flags, NULL);
}

SHORT_WAY void
fg_task_undeferred_copied(void (*fn)(void *), void *data, void (*copy)(void *, void *), long size, long align,
			  unsigned flags)
{
	struct fg_identity *self = fg_self();
	struct fg_task *parent;
	fg_assert_outside(self);
	if (self && undeferred_here(self, &parent)) {
		struct fg_task_order order = {.fn = fn,
					      .data = data,
					      .copy = copy,
					      .size = (size_t)size,
					      .align = align > 0 ? (size_t)align : 1};
		run(self, parent, fg_task_run_copied, &order, flags & FG_TASK_FINAL);
	} else
		create_inside(fn, data, copy, size, align, true, flags, NULL);
}

SHORT_WAY void
fg_task_undeferred(void (*fn)(void *), void *data, unsigned flags, long size, long align)
{
	struct fg_identity *self = fg_self();
	struct fg_task *parent;
	fg_assert_outside(self);
	if (self && undeferred_here(self, &parent))
		run(self, parent, fn, data, flags & FG_TASK_FINAL);
	else
		create_inside(fn, data, NULL, size, align, true, flags, NULL);
}

/* Tells whether an undeferred task with these dependences must wait. `parent` is NULL in an implicit task that has met
 * no tasks: then no sibling has dependences. */
static inline bool
must_wait(struct fg_identity *self, struct fg_task *parent, void **depend)
{
	if (!parent || !parent->depends)
		return false;
	fg_enter(self);
	bool any = fg_depend_precedes(parent, depend);
	fg_leave(self);
	return any;
}

SHORT_WAY void
fg_task_undeferred_after(void (*fn)(void *), void *data, void **depend, long size, long align, unsigned flags)
{
	struct fg_identity *self = fg_self();
	struct fg_task *parent;
	fg_assert_outside(self);
	if (self && undeferred_here(self, &parent) && !must_wait(self, parent, depend))
		run(self, parent, fn, data, flags & FG_TASK_FINAL);
	else
		create_inside(fn, data, NULL, size, align, true, flags, depend);
}
