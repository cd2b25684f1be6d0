/* Flag bits of GOMP_task and GOMP_taskloop (floor: gomp; used by task.c and taskloop.c). They are the numbers of the
 * ABI, and nothing else is here. */
#pragma once
#include "team/env/icv.h"
#include "team/tasks/create.h" /* FG_TASK_FINAL */

enum {
	FG_TASK_UNTIED = 0x1, /* treated as tied (fg_task_within) */
	FG_TASK_DEPEND = 0x8,
	FG_TASK_PRIORITY = 0x10,
	FG_TASK_UP = 0x100,
	FG_TASK_GRAINSIZE = 0x200,
	FG_TASK_IF = 0x400,
	FG_TASK_NOGROUP = 0x800,
	FG_TASK_REDUCTION = 0x1000,
	FG_TASK_DETACH = 0x2000,
	FG_TASK_STRICT = 0x4000,
};

/* Clamps a clause's priority to the range from 0 to OMP_MAX_TASK_PRIORITY. */
static inline unsigned
fg_task_priority(int priority)
{
	if (priority <= 0)
		return 0;
	return (unsigned)priority < fg_env.max_task_priority ? (unsigned)priority : fg_env.max_task_priority;
}
