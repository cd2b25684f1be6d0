/* Routines about tasks and their events (floor: omp; OpenMP 5.2, 18.5 and 18.11). The program calls these on any
 * pthread, outside the runtime, even on one that the runtime has never met. team/tasks/detach.h has the events. */
#include "base/export.h"
#include "team/tasks/run.h"

FG_EXPORT void
omp_fulfill_event(uintptr_t event)
{
	struct fg_identity *self = fg_self();
	if (self)
		fg_enter(self);
	fg_task_fulfill(self, event);
	if (self)
		fg_leave(self);
}

FG_EXPORT int
omp_in_final(void)
{
	struct fg_identity *self = fg_self();
	return self && self->thread.task && self->thread.task->final;
}

FG_EXPORT int
omp_in_explicit_task(void)
{
	struct fg_identity *self = fg_self();
	return self && self->thread.task;
}

FG_ABI_ALIAS(void, omp_fulfill_event_, (uintptr_t event), omp_fulfill_event)
FG_ABI_ALIAS(int32_t, omp_in_final_, (void), omp_in_final)
FG_ABI_ALIAS(int32_t, omp_in_explicit_task_, (void), omp_in_explicit_task)
