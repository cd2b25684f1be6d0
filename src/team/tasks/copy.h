/* The data of a task's own (floor: team; for create.c). The program's copy function or memcpy makes it for the task's
 * body. */
#pragma once
#include <string.h>

#include "platform/memory.h"
#include "team/tasks/create.h"
#include "team/tasks/run.h"

/* Makes the task's own data. */
static inline void
fg_task_copy(struct fg_identity *self, void *data, const struct fg_task_order *order)
{
	if (order->copy) {
		fg_leave(self);
		order->copy(data, order->data);
		fg_enter(self);
	} else if (order->size)
		memcpy(data, order->data, order->size);
	if (order->range)
		memcpy(data, order->range, 2 * sizeof *order->range);
}

#define FG_TASK_DATA_MAX 768 /* bytes on the stack, which may be small */

static inline void
run_copied_in(struct fg_identity *self, const struct fg_task_order *order, char *memory)
{
	char *data = memory + (-(uintptr_t)memory & (order->align - 1));
	fg_task_copy(self, data, order);
	fg_task_call(self, order->fn, data);
}

/* Where there is no memory elsewhere, the data lies on the stack. */
__attribute__((noinline)) static void
run_copied_on_stack(struct fg_identity *self, const struct fg_task_order *order, size_t size)
{
	char local[size];
	run_copied_in(self, order, local);
}

__attribute__((noinline)) static void
run_copied_large(struct fg_identity *self, const struct fg_task_order *order, size_t size)
{
	char *memory = fg_memory_get(size);
	if (memory)
		run_copied_in(self, order, memory);
	else
		run_copied_on_stack(self, order, size);
	fg_memory_free(memory);
}

/* Runs an included task with data of its own: it has a copy function, or it is part of a taskloop. The program's copy
 * function runs as a part of this task. */
static inline void
fg_task_run_copied(struct fg_identity *self, const struct fg_task_order *order)
{
	char local[FG_TASK_DATA_MAX];
	size_t size = order->size + order->align;
	if (__builtin_expect(size <= sizeof local, 1))
		run_copied_in(self, order, local);
	else
		run_copied_large(self, order, size);
}
