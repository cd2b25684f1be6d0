/* Create: how a task is made (floor: team; called by gomp). See task.h for which are deferred. */
#pragma once
#include "team/inside.h"
#include "team/tasks/pool.h"

#define FG_NESTED_MAX 512 /* included tasks on a stack: deeper ones are deferred */

/* What a task is made of; the words of GOMP_task. */
struct fg_task_order {
	void (*fn)(void *);
	void *data;
	void (*copy)(void *to, void *from); /* NULL: memcpy */
	size_t size, align;
	void **depend;	       /* NULL: none */
	uint64_t *event;       /* detach: where the handle goes; NULL: none */
	const uint64_t *range; /* of a taskloop: the first two words of the task's own data; NULL: none */
	unsigned priority;
	bool undeferred, final;
};

/* Creates a task and perhaps runs it before returning: at once, or by the next two. Caller inside the runtime; fn is called outside it. */
FG_INSIDE void fg_task_create(struct fg_identity *self, const struct fg_task_order *order);
/* A deferred task of the current task `parent`, not counted anywhere yet: its memory, and the copy of its data. `member`: the caller.
 * NULL: there is no memory. */
FG_INSIDE struct fg_deferred *fg_task_new(struct fg_identity *self, struct fg_task_member *member,
					  struct fg_task *parent, const struct fg_task_order *order);
/* The task is counted, and put where members look once all that it depends on is complete (depend NULL: nothing). It may run before this returns. */
FG_INSIDE void fg_task_submit(struct fg_identity *self, struct fg_task_member *member, struct fg_task *parent,
			      struct fg_deferred *task, void **depend);
/* Waits until the siblings that a task with these dependences would have to follow are complete. */
FG_INSIDE void fg_task_wait_depend(struct fg_identity *self, void **depend);

/* For plain.h. What the current task has left behind, children or ICVs of its own. */
FG_OUTSIDE void fg_task_plain_clean(struct fg_identity *self, struct fg_icv *icv);
/* The limit was too low: the tasks differ in length, or are many times longer than it takes to fetch one. */
FG_ANYWHERE void fg_task_ran_dry(struct fg_task_member *member);
