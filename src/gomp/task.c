/* ABI: tasks, their events and queries (floor: gomp). */
#include "base/log.h"
#include "gomp/abi.h"
#include "gomp/task_flags.h"
#include "team/task_plain.h"

static __attribute__((noinline)) void
create(const struct fg_task_order *order)
{
	struct fg_identity *self = fg_self_or_root();
	fg_enter(self);
	fg_task_create(self, order);
	fg_leave(self);
}

/* Older objects pass fewer arguments: the flags tell which of the last three there are. Volatile, or gcc would load them at once, and save
 * registers for that in a task that has none of them. */
FG_ABI(void, GOMP_task,
       (void (*fn)(void *), void *data, void (*copy)(void *, void *), long size, long align, bool if_clause,
	unsigned flags, void **volatile depend, volatile int priority, void *volatile detach))
{
	struct fg_identity *self = fg_self();
	if (self && !copy && !(flags & (FG_TASK_DEPEND | FG_TASK_DETACH | FG_TASK_PRIORITY)) &&
	    fg_task_plain_here(self)) {
		if (if_clause && fg_task_plain_may(self)) {
			fg_task_plain_run_instead(self, fn, data, flags & FG_TASK_FINAL);
			return;
		}
		if (!if_clause || fg_task_plain_must(self)) {
			fg_task_plain_run(self, fn, data, flags & FG_TASK_FINAL);
			return;
		}
	}
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

FG_ABI(void, GOMP_taskwait, (void))
{
	struct fg_identity *self = fg_self_or_root();
	fg_enter(self);
	fg_task_wait_children(self);
	fg_leave(self);
}

FG_ABI(void, GOMP_taskwait_depend, (void **depend))
{
	struct fg_identity *self = fg_self_or_root();
	fg_enter(self);
	fg_task_wait_depend(self, depend);
	fg_leave(self);
}

/* An empty task with these dependences. */
FG_ABI(void, GOMP_taskwait_depend_nowait, (void **depend))
{
	struct fg_identity *self = fg_self_or_root();
	fg_enter(self);
	fg_task_create(self, &(struct fg_task_order){.depend = depend, .align = 1});
	fg_leave(self);
}

FG_ABI(void, GOMP_taskyield, (void))
{
	struct fg_identity *self = fg_self();
	if (!self)
		return;
	fg_enter(self);
	fg_task_yield(self);
	fg_leave(self);
}

FG_ABI(void, omp_fulfill_event, (uintptr_t event))
{
	struct fg_identity *self = fg_self();
	if (self)
		fg_enter(self);
	fg_task_fulfill(self, event);
	if (self)
		fg_leave(self);
}

FG_ABI(int, omp_in_final, (void))
{
	struct fg_identity *self = fg_self();
	return self && self->thread.task && self->thread.task->final;
}

FG_ABI(int, omp_in_explicit_task, (void))
{
	struct fg_identity *self = fg_self();
	return self && self->thread.task;
}

FG_ABI_ALIAS(void, omp_fulfill_event_, (uintptr_t event), omp_fulfill_event)
FG_ABI_ALIAS(int32_t, omp_in_final_, (void), omp_in_final)
FG_ABI_ALIAS(int32_t, omp_in_explicit_task_, (void), omp_in_explicit_task)
