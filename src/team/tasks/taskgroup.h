/* Taskgroup: the tasks created between its start and its end, and their descendants (floor: team; called by
 * share/reduction.c and gomp). The current task calls, without a lock, and writes its own `group`. task.h has the
 * counts of a group. */
#pragma once
#include "team/inside.h"
#include "team/tasks/task.h"

/* Makes a group the current task's innermost one. NULL: there is no memory for it, and then no task needs to be waited
 * for until its end. A caller may be outside only if the team has a pool already: then this neither waits nor
 * locks. */
FG_ANYWHERE struct fg_taskgroup *fg_taskgroup_start(struct fg_identity *self, bool hidden);
/* Waits for the group's tasks, and goes back to the group around it. */
FG_INSIDE void fg_taskgroup_end(struct fg_identity *self);
