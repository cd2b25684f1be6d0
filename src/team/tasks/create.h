/* Create: how a task is made (floor: team; called by gomp and omp). task.h says which tasks are deferred. */
#pragma once
#include "team/inside.h"
#include "team/tasks/pool.h"

#define FG_NESTED_MAX 512 /* included tasks on one stack: deeper ones are deferred */

/* The order for a task, in the words of GOMP_task. */
struct fg_task_order {
	void (*fn)(void *);
	void *data;
	void (*copy)(void *to, void *from); /* NULL: memcpy */
	size_t size, align;
	void **depend;	       /* NULL: none */
	uint64_t *event;       /* detach: where the handle goes; NULL: no event */
	const uint64_t *range; /* of a taskloop: the first two words of the task's own data; NULL: none */
	unsigned priority;
	bool undeferred, final;
};

/* Creates a task: runs it at once, or makes and submits it by the next two functions. It may run before this returns.
 * fn is called outside the runtime. */
FG_INSIDE void fg_task_create(struct fg_identity *self, const struct fg_task_order *order);
/* Makes a deferred task of the current task `parent`, with a copy of its data. The task is counted nowhere yet.
 * `member` is the caller. NULL: there is no memory. */
FG_INSIDE struct fg_deferred *fg_task_new(struct fg_identity *self, struct fg_task_member *member,
					  struct fg_task *parent, const struct fg_task_order *order);
/* Counts the task, and puts it where members look as soon as all that it depends on is complete. `depend` NULL: it
 * depends on nothing. The task may run before this returns. */
FG_INSIDE void fg_task_submit(struct fg_identity *self, struct fg_task_member *member, struct fg_task *parent,
			      struct fg_deferred *task, void **depend);
/* Waits until the siblings that a task with these dependences would have to follow are complete. */
FG_INSIDE void fg_task_wait_depend(struct fg_identity *self, void **depend);

/* For plain.h: cleans up the children, or ICVs of its own, that the current task has left behind. Gives way if the slice of
 * the thread is over. */
FG_OUTSIDE void fg_task_plain_end(struct fg_identity *self, struct fg_icv *icv);
