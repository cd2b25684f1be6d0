/* Waiting for the siblings that a task with these dependences would have to follow (floor: team; called by create.c,
 * deferred.c, omp and gomp). The member calls, inside and without a lock. It runs tasks meanwhile, and may return on
 * another kernel thread. */
#pragma once
#include "team/inside.h"
#include "team/tasks/task.h"

/* Waits until those among the children of `parent` are complete. */
void fg_depend_wait(struct fg_identity *self, struct fg_task *parent, void **depend);
/* Does the same for the children of the current task. */
FG_INSIDE void fg_task_wait_depend(struct fg_identity *self, void **depend);
