/* ABI: tasks (floor: gomp; called by compiled code, outside the runtime). */
#include "base/export.h"
#include "base/log.h"
#include "exec/thread/root.h"
#include "gomp/task_flags.h"
#include "team/tasks/depend_table.h"
#include "team/tasks/plain.h"
#include "team/tasks/wait.h"

static __attribute__((noinline)) void
create(const struct fg_task_order *order)
{
	struct fg_identity *self = fg_self_or_root();
	fg_enter(self);
	fg_task_create(self, order);
	fg_leave(self);
}

/* These flags tell that the last three arguments are valid. Older objects pass fewer arguments, without these flags. */
enum { CLAUSES = FG_TASK_DEPEND | FG_TASK_PRIORITY | FG_TASK_DETACH };

/* GOMP_task jumps to one of the short ways without a frame of its own. A small task spends most of its time there, so
 * each begins at a cache line. */
#define SHORT_WAY __attribute__((noinline, aligned(64)))

/* Creates a task with any of the clauses. */
static __attribute__((noinline)) void
with_clauses(void (*fn)(void *), void *data, void (*copy)(void *, void *), long size, long align, bool if_clause,
	     unsigned flags, void **depend, int priority, void *detach)
{
	create(&(struct fg_task_order){
		.fn = fn,
		.data = data,
		.copy = copy,
		.size = (size_t)size,
		.align = align > 0 ? (size_t)align : 1,
		.depend = flags & FG_TASK_DEPEND ? depend : NULL,
		.event = flags & FG_TASK_DETACH ? detach : NULL,
		.priority = flags & FG_TASK_PRIORITY ? fg_task_priority(priority) : 0,
		.undeferred = !if_clause,
		.final = flags & FG_TASK_FINAL,
	});
}

/* Creates a task that has none of these clauses. */
static void
create_simple(void (*fn)(void *), void *data, void (*copy)(void *, void *), long size, long align, bool if_clause,
	      unsigned flags)
{
	with_clauses(fn, data, copy, size, align, if_clause, flags & FG_TASK_FINAL, NULL, 0, NULL);
}

static SHORT_WAY void
simple(void (*fn)(void *), void *data, void (*copy)(void *, void *), long size, long align, unsigned flags)
{
	struct fg_identity *self = fg_self();
	if (self && !copy && fg_task_plain_here(self)) {
		if (fg_task_plain_may(self)) {
			fg_task_plain_run_instead(self, fn, data, flags & FG_TASK_FINAL);
			return;
		}
		if (fg_task_plain_must(self)) {
			fg_task_plain_run(self, fg_task_plain_parent(self), fn, data, flags & FG_TASK_FINAL);
			return;
		}
	}
	create_simple(fn, data, copy, size, align, true, flags);
}

/* A task with data of its own, which the program's copy function makes when the task runs. */
struct copied {
	void (*fn)(void *);
	void (*copy)(void *, void *);
	void *from;
	long align;
};

#define COPIED_MAX 256 /* larger data take the long way */

static void
run_copied(void *arg)
{
	const struct copied *task = arg;
	char room[COPIED_MAX], *data = room + (-(uintptr_t)room & (task->align - 1));
	task->copy(data, task->from);
	task->fn(data);
}

static SHORT_WAY void
undeferred_copied(void (*fn)(void *), void *data, void (*copy)(void *, void *), long size, long align, unsigned flags)
{
	struct fg_identity *self = fg_self();
	struct fg_task *parent;
	struct copied copied = {fn, copy, data, align};
	if (self && align > 0 && size + align <= COPIED_MAX && fg_task_undeferred_here(self, &parent))
		fg_task_plain_run(self, parent, run_copied, &copied, flags & FG_TASK_FINAL);
	else
		create_simple(fn, data, copy, size, align, false, flags);
}

/* Runs an undeferred task with nothing to copy. Each argument has its position in GOMP_task, and `flags` has that of
 * `copy`. So GOMP_task moves only `flags` before it jumps here. */
static SHORT_WAY void
undeferred(void (*fn)(void *), void *data, unsigned flags, long size, long align)
{
	struct fg_identity *self = fg_self();
	struct fg_task *parent;
	if (self && fg_task_undeferred_here(self, &parent))
		fg_task_plain_run(self, parent, fn, data, flags & FG_TASK_FINAL);
	else
		create_simple(fn, data, NULL, size, align, false, flags);
}

/* Tells whether an undeferred task with these dependences must wait. `parent` is NULL in an implicit task that has met
 * no tasks: then no sibling has dependences. */
static inline bool
waits(struct fg_identity *self, struct fg_task *parent, void **depend)
{
	if (!parent || !parent->depends)
		return false;
	fg_enter(self);
	bool any = fg_depend_precedes(parent, depend);
	fg_leave(self);
	return any;
}

/* Runs an undeferred task that has dependences and nothing to copy. */
static SHORT_WAY void
undeferred_after(void (*fn)(void *), void *data, unsigned flags, long size, long align, void **depend)
{
	struct fg_identity *self = fg_self();
	struct fg_task *parent;
	if (self && fg_task_undeferred_here(self, &parent) && !waits(self, parent, depend))
		fg_task_plain_run(self, parent, fn, data, flags & FG_TASK_FINAL);
	else
		create(&(struct fg_task_order){
			.fn = fn,
			.data = data,
			.size = (size_t)size,
			.align = align > 0 ? (size_t)align : 1,
			.depend = depend,
			.undeferred = true,
			.final = flags & FG_TASK_FINAL,
		});
}

/* Without volatile, gcc would load the last three arguments at once and save registers for that, even if the task has
 * none of them. */
FG_EXPORT void
GOMP_task(void (*fn)(void *), void *data, void (*copy)(void *, void *), long size, long align, bool if_clause,
	  unsigned flags, void **volatile depend, volatile int priority, void *volatile detach)
{
	if (!(flags & CLAUSES)) {
		if (if_clause)
			simple(fn, data, copy, size, align, flags);
		else if (copy)
			undeferred_copied(fn, data, copy, size, align, flags);
		else
			undeferred(fn, data, flags, size, align);
	} else if (!if_clause && !copy && !(flags & (CLAUSES & ~FG_TASK_DEPEND)))
		undeferred_after(fn, data, flags, size, align, depend);
	else
		with_clauses(fn, data, copy, size, align, if_clause, flags, depend, priority, detach);
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
	fg_task_create(self, &(struct fg_task_order){.depend = depend, .align = 1});
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
