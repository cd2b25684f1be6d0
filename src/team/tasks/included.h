/* Included: a task runs at its creation, on its creator's stack (floor: team; called by create.c and gomp/taskloop.c).
 * Plain tasks have a way of their own (plain.h). The creator calls, inside and without a lock; the body runs outside.
 * Only its own stack and thread.task are written. */
#pragma once
#include "team/tasks/create.h"

/* Runs the task. `parent` NULL: an implicit task that has not met tasks. If the task has an event, there was no memory
 * for a deferred one: the caller also waits here for the event. */
FG_INSIDE void fg_task_include(struct fg_identity *self, struct fg_task *parent, const struct fg_task_order *order);
