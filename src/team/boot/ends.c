/* Ends: see ends.h. */
#include "team/boot/ends.h"

#include "exec/body/glibc.h"
#include "team/env/icv.h"
#include "team/hints/areas.h"
#include "team/hints/loads.h"
#include "team/hints/pin.h"
#include "team/region/region.h"
#include "team/region/teams.h"
#include "team/stuck.h"
#include "team/tasks/pool_end.h"
#include "team/tasks/wait.h"

/* Completes the tasks outside any region, because libgomp runs each of them where it is met. This cannot be done if
 * the thread ends inside a task. */
static void
finish_tasks(struct fg_identity *self)
{
	if (self->thread.team || self->thread.task || !fg_task_pool_or_null(self))
		return;
	fg_enter(self);
	fg_task_finish(self);
	fg_leave(self);
	fg_task_pool_trim(self);
}

void
fg_ends_pthread(void)
{
	fg_hints_forget();
	fg_areas_forget();
}

/* A thread of the program ends: the destructor of its key calls this (root.c), outside the runtime. */
void
fg_ends_root(struct fg_identity *self)
{
	for (struct fg_team *team = self->thread.team; team; team = team->outer)
		if (team->size > 1)
			fg_glibc_refuse_end();
	/* Each region around the caller has one member. One with tasks stays, because a task may wait for an event
	 * that never comes. */
	while (self->thread.team && !fg_load_relaxed(&self->thread.team->tasks))
		fg_region_end();
	finish_tasks(self);
	fg_ends_pthread();
	fg_pins_forget(self->root);
	fg_icv_release(self);
	self->thread = (struct fg_thread){.size = 1};
}

void
fg_ends_identity(struct fg_identity *identity)
{
	fg_stuck_gone(identity);
	fg_region_forget(identity);
}
