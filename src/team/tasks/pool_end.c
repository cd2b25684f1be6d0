/* The end of a pool (floor: team); see pool_end.h. */
#include "team/tasks/pool_end.h"

#include "platform/memory.h"
#include "team/tasks/depend_table.h"

static void
members_empty(struct fg_task_pool *pool)
{
	for (unsigned i = 0; i < pool->size; i++) {
		struct fg_task_member *member = fg_load_relaxed(&pool->member[i]);
		if (member && member->implicit.depends)
			fg_depend_table_rest(&member->implicit, &member->store);
	}
	for (unsigned i = 0; i < pool->size; i++) {
		struct fg_task_member *member = fg_load_relaxed(&pool->member[i]);
		if (!member)
			continue;
		assert(fg_task_member_valid(member));
		fg_family_rest(&member->implicit.children, &member->store);
		fg_store_rest(&member->store);
		fg_deque_trim(&member->deque);
		fg_task_member_reset(member);
		fg_store_relaxed(&member->created, 0);
		fg_store_relaxed(&member->completed, 0);
	}
	fg_store_relaxed(&pool->producers, NULL);
	fg_store_relaxed(&pool->foreign_completed, 0);
}

/* Empties the pool. The members of a large one will empty their parts themselves (pool.c). Only threads that fulfil an
 * event may still use the pool, and this waits for them. */
static void
pool_empty(struct fg_task_pool *pool)
{
	while (fg_load_acquire(&pool->users))
		fg_cpu_pause();
	assert(fg_task_pool_valid(pool) && fg_task_pool_quiescent(pool) && !fg_task_pool_has_waiting(pool));
	assert(fg_load_relaxed(&pool->sleepers) == 0);
	assert(fg_env.cancellation || fg_load_relaxed(&pool->events) == 0);
	if (fg_task_pool_is_large(pool))
		pool->epoch++;
	else
		members_empty(pool);
	fg_store_relaxed(&pool->events, 0);
}

void
fg_task_pool_free(struct fg_task_pool *pool)
{
	if (!pool)
		return;
	for (unsigned i = 0; i < pool->size; i++) {
		struct fg_task_member *member = fg_load_relaxed(&pool->member[i]);
		if (member && member->implicit.depends)
			fg_depend_table_free(&member->implicit, &member->store);
	}
	for (unsigned i = 0; i < pool->size; i++) {
		struct fg_task_member *member = fg_load_relaxed(&pool->member[i]);
		if (!member)
			continue;
		assert(fg_task_member_valid(member) && fg_deque_count(&member->deque) == 0);
		fg_store_clear(&member->store);
		fg_deque_trim(&member->deque);
		fg_memory_free(member->victims);
		while (member->free_groups) {
			struct fg_taskgroup *group = member->free_groups;
			member->free_groups = group->outer;
			fg_memory_free(group);
		}
	}
	fg_memory_free(pool);
}

void
fg_task_pool_trim(struct fg_identity *self)
{
	if (self->thread.team || self->thread.task || !fg_task_own_pool)
		return;
	struct fg_task_member *member = fg_load_relaxed(&fg_task_own_pool->member[0]);
	if (member && (member->implicit.group || !fg_task_pool_quiescent(fg_task_own_pool)))
		return;
	pool_empty(fg_task_own_pool);
	fg_task_pool_free(fg_task_own_pool);
	fg_task_own_pool = NULL;
	self->thread.tasks = NULL;
}

/* A policy may still read the counts of the pool, because the team leaves the live tree later (forest/bubble.h). Here
 * the pool changes only what a count does not follow, and is kept. */
void
fg_task_team_end(struct fg_team *team)
{
	struct fg_task_pool *pool = fg_load_acquire(&team->tasks);
	if (!pool)
		return;
	pool_empty(pool);
	fg_store_relaxed(&team->births.bubble.tasks, NULL);
	fg_store_relaxed(&team->tasks, NULL);
	fg_task_pool_free(fg_exchange_acq_rel(&team->tasks_free, pool));
}

void
fg_task_team_free(struct fg_team *team)
{
	fg_task_pool_free(fg_exchange_acq_rel(&team->tasks_free, NULL));
}
