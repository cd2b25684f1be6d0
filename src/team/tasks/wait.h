/* Waiting for tasks, and running them meanwhile (floor: team; called by included.c, deferred.c, depend_wait.c,
 * taskgroup.c, sync, region, boot and gomp). wait.c has the protocol. The member itself calls, inside and without a
 * lock, and may return on another kernel thread. */
#pragma once
#include "team/inside.h"
#include "team/tasks/run.h"

/* Waits until the children of the current task are complete. */
FG_INSIDE void fg_task_wait_children(struct fg_identity *self);
/* Runs another task that may run here. If there is none, lets other threads of the worker go first. */
FG_INSIDE void fg_task_yield(struct fg_identity *self);

/* Waits until over(arg), and runs tasks meanwhile: its own, and those that it steals. The caller is inside and holds no
 * lock. `over` also runs under a bucket's lock, so it neither waits nor allocates, and takes only later locks. The
 * things that over() looks at change before a call of fg_task_wake_*, or the waiter changes them. */
void fg_task_wait(struct fg_identity *self, struct fg_task_member *member, struct fg_family *within,
		  bool (*over)(void *arg), void *arg);
/* Does the same for a member at the barrier of this phase. It runs no task that members past the barrier have made
 * since. */
void fg_task_wait_at(struct fg_identity *self, uint32_t phase, bool (*over)(void *arg), void *arg);
/* Waits until over(arg), where there was no memory and so no thread wakes the waiter. It looks again and again, and
 * runs tasks that may run on top of `task`. NULL: there are none. */
void fg_task_nap(struct fg_identity *self, const struct fg_task *task, bool (*over)(void *arg), void *arg);
/* Runs tasks of the team's queue and the caller's own deque, while there are any and at least `least` of the task's
 * children are incomplete. */
void fg_task_run_some(struct fg_identity *self, struct fg_task_member *member, struct fg_task *task, uint32_t least);
/* The caller creates children faster than they become complete. Runs tasks, and waits for a while where there are
 * none, until fewer than most - most / 8 of the children are incomplete. If nothing happens in that while, it returns
 * with more of them. */
void fg_task_slow_down(struct fg_identity *self, struct fg_task_member *member, struct fg_task *task, uint32_t most);
/* Runs tasks, as long as there are any that may run on top of the implicit task of a member at a barrier. Returns the
 * turns until the next look. */
unsigned fg_task_help(struct fg_identity *self);
/* Runs tasks until all tasks are complete. At the end of a region its primary thread calls this once the other members
 * are done. Members of a team that is not docked call it, too, and so does a thread of the program as it ends. */
void fg_task_finish(struct fg_identity *self);
/* Waits behind the barrier with this number, which all members have reached, until all tasks created before it are
 * complete. */
void fg_task_barrier(struct fg_identity *self, struct fg_task_pool *pool, uint32_t phase);
