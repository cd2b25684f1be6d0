/* What the files of tasks, and sync/cancel.c, share (floor: team). */
#pragma once
#include "exec/errand.h"
#include "exec/worker.h"
#include "platform/membarrier.h"
#include "team/tasks/pool.h"

/* What the dock may call for. */
extern const struct fg_errand fg_task_errand;

/* Runs a deferred task that the member has taken. Another one that only waited for it, if there is one: the member has taken that, too. */
struct fg_deferred *fg_task_run(struct fg_identity *self, struct fg_task_member *member, struct fg_deferred *task);
/* What a thread may take while this task waits, as in fg_task_find: its descendants, also where it is untied. OpenMP allows more then, but a
 * task that holds a lock meanwhile could have one on top that wants it, and no other libgomp does so. */
struct fg_family *fg_task_within(const struct fg_task *task);
/* A deferred task may run now. member NULL: the caller is none of the pool's. */
void fg_task_ready(struct fg_task_member *member, struct fg_deferred *task);

/* Puts a task into the member's own deque; where that cannot grow, into the queue. */
static inline void
fg_task_keep(struct fg_task_member *member, struct fg_deferred *task, struct fg_family *family)
{
	if (__builtin_expect(!fg_deque_push(&member->deque, task, family), 0))
		fg_task_queue_put(&member->pool->queue, task);
}

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
/* A task of this family was put where members look: wakes one that sleeps and may run it. Protocol as in exec/idle.c: the fence of
 * the sleeper is the heavy one. */
void fg_task_wake_one_slow(struct fg_task_member *member, struct fg_task_pool *pool, const struct fg_family *family);
static inline void
fg_task_wake_one(struct fg_task_member *member, struct fg_task_pool *pool, const struct fg_family *family)
{
	fg_fence_light();
	if (__builtin_expect(fg_load_relaxed(&pool->sleepers) != 0 || fg_load_relaxed(&fg_idle_sleepers) != 0, 0))
		fg_task_wake_one_slow(member, pool, family);
}
/* Something that this member may be waiting for has happened. */
void fg_task_wake_member_slow(struct fg_task_member *member);
static inline void
fg_task_wake_member(struct fg_task_member *member, struct fg_task_pool *pool)
{
	fg_fence_light();
	if (__builtin_expect(fg_load_relaxed(&pool->sleepers) != 0, 0))
		fg_task_wake_member_slow(member);
}
/* Something that all may be waiting for has happened. */
void fg_task_wake_all(struct fg_task_pool *pool);
