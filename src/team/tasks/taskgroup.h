/* Taskgroup: the tasks created between its start and its end, and their descendants (floor: team; called by gomp). */
#pragma once
#include "team/inside.h"
#include "team/tasks/task.h"

/* Makes a group the current task's innermost one. NULL: without memory for it, tasks need not be waited for until its end.
 * Outside only if the team has a pool already: then it neither waits nor locks. */
FG_ANYWHERE struct fg_taskgroup *fg_taskgroup_start(struct fg_identity *self, bool hidden);
/* Waits for its tasks and goes back to the one around it. */
FG_INSIDE void fg_taskgroup_end(struct fg_identity *self);
