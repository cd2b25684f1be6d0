/* Waiting for tasks, and running them meanwhile (floor: team; called by create.c, taskgroup.c, sync, region and gomp). */
#pragma once
#include "team/inside.h"
#include "team/tasks/run.h"

/* Waits until the children of the current task are complete. */
FG_INSIDE void fg_task_wait_children(struct fg_identity *self);
/* Runs another task if there is one that may run here, else lets other threads of the worker go first. */
FG_INSIDE void fg_task_yield(struct fg_identity *self);

/* A task to run for the member, which has taken it; NULL: none. within: only what descends from the task whose children these
 * are, for that one is suspended below (tied tasks); NULL: any. */
struct fg_deferred *fg_task_find(struct fg_task_member *member, struct fg_family *within);

/* Waits until over(arg), running tasks meanwhile. What over() looks at changes before a call of fg_task_wake_*, or by the waiter. */
void fg_task_wait(struct fg_identity *self, struct fg_task_member *member, struct fg_family *within,
		  bool (*over)(void *arg), void *arg);
/* The same for a member at the barrier of this phase: it runs none that others, who have passed the barrier, have made since. */
void fg_task_wait_at(struct fg_identity *self, uint32_t phase, bool (*over)(void *arg), void *arg);
/* Waits until over(arg) for something that wakes nobody, running tasks that may run on top of `task` (NULL: there are none), and looking again and again: for
 * where there is no memory. */
void fg_task_nap(struct fg_identity *self, const struct fg_task *task, bool (*over)(void *arg), void *arg);
/* Runs tasks of the caller's own deque, as long as there are any and this many of the task's children are incomplete. */
void fg_task_run_some(struct fg_identity *self, struct fg_task_member *member, struct fg_task *task, uint32_t least);
/* The caller creates children faster than they are completed: runs tasks, and waits for a while where there are none, until fewer than
 * `most` of them are incomplete. */
void fg_task_slow_down(struct fg_identity *self, struct fg_task_member *member, struct fg_task *task, uint32_t most);
/* Runs tasks as long as there are any that may run on top of a member's implicit task that waits at a barrier; the turns until the next
 * look. */
unsigned fg_task_help(struct fg_identity *self);
/* Until all tasks there are are complete, running them: at the end of a region, by its primary thread once the other members are done, and by
 * each member of a loose team. */
void fg_task_finish(struct fg_identity *self);
/* Behind the barrier with this number, which all members have reached: until all tasks created before it are complete. */
void fg_task_barrier(struct fg_identity *self, struct fg_task_pool *pool, uint32_t phase);
