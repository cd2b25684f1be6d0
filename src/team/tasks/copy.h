/* Copy: the data of a task's own (floor: team; called by included.c, deferred.c and plain.c). The program's copy
 * function or memcpy makes it. The thread that creates the task calls: outside, where the program's copy function or
 * the body of the task runs. The copy is its own, on its stack or in a block, and it alone writes there. */
#pragma once
#include <string.h>

#include "team/tasks/create.h"

/* Makes the task's own data. If there is a copy function, the caller is outside the runtime. */
static inline void
fg_task_copy(void *data, const struct fg_task_order *order)
{
	if (order->copy)
		order->copy(data, order->data);
	else if (order->size)
		memcpy(data, order->data, order->size);
	if (order->range)
		memcpy(data, order->range, 2 * sizeof *order->range);
}

/* Runs the task with data of its own, which lies in `memory`: order->size + order->align bytes. */
static inline void
fg_task_run_in(char *memory, const struct fg_task_order *order)
{
	char *data = memory + (-(uintptr_t)memory & (order->align - 1));
	assert(data < memory + order->align && ((uintptr_t)data & (order->align - 1)) == 0);
	fg_task_copy(data, order);
	order->fn(data);
}

void fg_task_run_larger(const struct fg_task_order *order, size_t size);

#define FG_TASK_SMALL 256 /* bytes of data for which any stack has room */

/* The body of an included task with data of its own: it has a copy function, or it is a part of a taskloop. `arg` is
 * its struct fg_task_order. The program's copy function runs as a part of this task, outside the runtime. */
static inline void
fg_task_run_copied(void *arg)
{
	const struct fg_task_order *order = arg;
	size_t size = order->size + order->align;
	if (__builtin_expect(size <= FG_TASK_SMALL, 1)) {
		char local[FG_TASK_SMALL];
		fg_task_run_in(local, order);
	} else {
		struct fg_task_order same = *order; /* so that the order of a small task can stay in registers */
		fg_task_run_larger(&same, size);
	}
}
