/* Create: how a task is made (floor: team; called by plain.c and gomp). task.h says which tasks are deferred. The
 * member that creates the task calls, without a lock, and may run other tasks here. */
#pragma once
#include "team/inside.h"
#include "team/tasks/pool.h"

#define FG_NESTED_MAX 512 /* included tasks on one stack: deeper ones are deferred */

enum { FG_TASK_FINAL = 0x2 }; /* the bit of a flag of GOMP_task (gomp/task_flags.h) */

/* The order for a task, in the words of GOMP_task. */
struct fg_task_order {
	void (*fn)(void *);
	void *data;
	void (*copy)(void *to, void *from); /* NULL: memcpy */
	size_t size, align;
	uint64_t *event;       /* detach: where the handle goes; NULL: no event */
	const uint64_t *range; /* of a taskloop: the first two words of the task's own data; NULL: none */
	unsigned priority;
	bool undeferred, final;
};

/* Creates a task: runs it at once, or defers it (included.h, deferred.h). `depend` NULL: it depends on nothing. It may
 * run before this returns. fn is called outside the runtime. */
FG_INSIDE void fg_task_create(struct fg_identity *self, const struct fg_task_order *order, void **depend);
