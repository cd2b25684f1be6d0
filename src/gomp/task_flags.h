/* Flag bits of GOMP_task and GOMP_taskloop (floor: gomp). */
#pragma once

enum {
	FG_TASK_FINAL = 0x2,
	FG_TASK_DEPEND = 0x8,
	FG_TASK_UP = 0x100,
	FG_TASK_GRAINSIZE = 0x200,
	FG_TASK_IF = 0x400,
	FG_TASK_NOGROUP = 0x800,
	FG_TASK_REDUCTION = 0x1000,
	FG_TASK_DETACH = 0x2000,
	FG_TASK_STRICT = 0x4000,
};
