/* Deferred: a task gets a block of memory with a copy of its data, and lies where members look for it (floor: team;
 * called by create.c). run.c says how it runs and becomes complete.
 *
 * The member that creates the task calls, inside and without a lock. It may run other tasks here, so another kernel
 * thread may carry it afterwards. task.h and family.h have what is counted. */
#pragma once
#include "team/tasks/create.h"

/* Makes a deferred task of the current task `parent`, and submits it: it is counted, and becomes ready as soon as all
 * that it depends on is complete. It may run before this returns. `member` is the caller. False: there is no memory. */
bool fg_task_defer(struct fg_identity *self, struct fg_task_member *member, struct fg_task *parent,
		   const struct fg_task_order *order, void **depend);
/* Makes an undeferred task with an event, runs it, and waits until the body and the event are over. `parent` NULL or
 * false: there is no memory. */
bool fg_task_run_awaited(struct fg_identity *self, struct fg_task *parent, const struct fg_task_order *order);
