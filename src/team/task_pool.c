/* Pool: the unfinished tasks of a team, and its implicit tasks (floor: team; called by task.c, taskgroup.c, cancel.c). */
#include "base/log.h"
#include "team/task.h"
#include <stdlib.h>

/* Of a thread outside any region. A thread-local word moves with its thread, and only initial threads are outside. */
static __thread struct fg_task_pool *own_pool;

void *
fg_task_memory(size_t size)
{
	void *memory = calloc(1, size);
	if (!memory)
		fg_fatal("Out of memory allocating %zu bytes", size);
	return memory;
}

static struct fg_task_pool *
pool_new(unsigned size)
{
	struct fg_task_pool *pool = fg_task_memory(sizeof *pool + size * sizeof *pool->implicit);
	fg_spinlock_init(&pool->lock, FG_RANK_TASKS);
	pool->size = size;
	pool->ready_end = &pool->ready;
	return pool;
}

/* Whoever completed the last task may still be about to give back the lock. */
static void
pool_free(struct fg_task_pool *pool)
{
	fg_spinlock_lock(&pool->lock);
	fg_spinlock_unlock(&pool->lock);
	free(pool);
}

struct fg_task_pool *
fg_task_team_pool(struct fg_team *team)
{
	void *pool = fg_load_acquire(&team->tasks);
	if (pool)
		return pool;
	struct fg_task_pool *new = pool_new(team->size);
	if (fg_cas_acq_rel(&team->tasks, &pool, new))
		return new;
	free(new);
	return pool;
}

struct fg_task_pool *
fg_task_pool(struct fg_identity *self)
{
	if (self->thread.team)
		return fg_task_team_pool(self->thread.team);
	if (!own_pool)
		own_pool = pool_new(1);
	return own_pool;
}

static struct fg_task_pool *
pool_or_null(struct fg_identity *self)
{
	return self->thread.team ? fg_load_acquire(&self->thread.team->tasks) : own_pool;
}

struct fg_task_pool *
fg_task_pool_swap(struct fg_task_pool *pool)
{
	struct fg_task_pool *old = own_pool;
	own_pool = pool;
	return old;
}

void
fg_task_pool_trim(struct fg_identity *self)
{
	if (self->thread.team || !own_pool || own_pool->implicit[0].group || fg_load_acquire(&own_pool->unfinished))
		return;
	pool_free(own_pool);
	own_pool = NULL;
}

void
fg_task_team_end(struct fg_team *team)
{
	struct fg_task_pool *pool = fg_load_acquire(&team->tasks);
	if (pool)
		pool_free(pool);
	fg_store_relaxed(&team->tasks, NULL);
}

struct fg_task *
fg_task_current_or_null(struct fg_identity *self)
{
	if (self->thread.task)
		return self->thread.task;
	struct fg_task_pool *pool = pool_or_null(self);
	return pool ? &pool->implicit[self->thread.num] : NULL;
}

struct fg_task *
fg_task_current(struct fg_identity *self)
{
	return self->thread.task ? self->thread.task : &fg_task_pool(self)->implicit[self->thread.num];
}
