/* ABI: tasks (floor: gomp; called by compiled code, outside the runtime). team/tasks/plain.h and task.h have the
 * rest. */
#include "base/export.h"
#include "exec/roots/self.h"
#include "gomp/task_flags.h"
#include "team/tasks/depend_wait.h"
#include "team/tasks/plain.h"
#include "team/tasks/wait.h"

/* These flags tell that the last three arguments are valid. Older objects pass fewer arguments, without these flags. */
enum { CLAUSES = FG_TASK_DEPEND | FG_TASK_PRIORITY | FG_TASK_DETACH };

static __attribute__((noinline)) void
with_clauses(void (*fn)(void *), void *data, void (*copy)(void *, void *), long size, long align, bool if_clause,
	     unsigned flags, void **depend, int priority, void *detach)
{
	const struct fg_task_order order = {
		.fn = fn,
		.data = data,
		.copy = copy,
		.size = (size_t)size,
		.align = align > 0 ? (size_t)align : 1,
		.event = flags & FG_TASK_DETACH ? detach : NULL,
		.priority = flags & FG_TASK_PRIORITY ? fg_task_priority(priority) : 0,
		.undeferred = !if_clause,
		.final = flags & FG_TASK_FINAL,
	};
	fg_task_with_clauses(&order, flags & FG_TASK_DEPEND ? depend : NULL);
}

/* GOMP_task jumps to the short ways (plain.h) without a frame of its own. Without volatile, gcc would load the last
 * three arguments at once and save registers for that, even if the task has none of them. */
FG_EXPORT void
GOMP_task(void (*fn)(void *), void *data, void (*copy)(void *, void *), long size, long align, bool if_clause,
	  unsigned flags, void **volatile depend, volatile int priority, void *volatile detach)
{
	if (flags & CLAUSES) {
		if (if_clause || copy || flags & (CLAUSES & ~FG_TASK_DEPEND))
			with_clauses(fn, data, copy, size, align, if_clause, flags, depend, priority, detach);
		else
			fg_task_undeferred_after(fn, data, depend, size, align, flags);
	} else if (if_clause)
		fg_task_simple(fn, data, copy, size, align, flags);
	else if (copy)
		fg_task_undeferred_copied(fn, data, copy, size, align, flags);
	else
		fg_task_undeferred(fn, data, flags, size, align);
}

FG_EXPORT void
GOMP_taskwait(void)
{
	struct fg_identity *self = fg_self_or_root();
	fg_enter(self);
	fg_task_wait_children(self);
	fg_leave(self);
}

FG_EXPORT void
GOMP_taskwait_depend(void **depend)
{
	struct fg_identity *self = fg_self_or_root();
	fg_enter(self);
	fg_task_wait_depend(self, depend);
	fg_leave(self);
}

/* Creates an empty task with these dependences. */
FG_EXPORT void
GOMP_taskwait_depend_nowait(void **depend)
{
	struct fg_identity *self = fg_self_or_root();
	fg_enter(self);
	fg_task_create(self, &(struct fg_task_order){.align = 1}, depend);
	fg_leave(self);
}

FG_EXPORT void
GOMP_taskyield(void)
{
	struct fg_identity *self = fg_self();
	if (!self)
		return;
	fg_enter(self);
	fg_task_yield(self);
	fg_leave(self);
}
