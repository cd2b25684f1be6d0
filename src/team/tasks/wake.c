/* Waking members that wait for tasks (floor: team); see wake.h. */
#include "team/tasks/wake.h"

#include "exec/thread/root_state.h"
#include "exec/helpers/helpers.h"
#include "exec/loop/park.h"

void
fg_task_wake_member_slow(struct fg_task_member *member)
{
	if (fg_task_rouse(member, FG_TASK_AWAKE))
		fg_unpark(member, 1);
}

void
fg_task_wake_all(struct fg_task_pool *pool)
{
	fg_fence_light();
	if (!fg_load_relaxed(&pool->sleepers))
		return;
	for (unsigned i = 0; i < pool->size; i++) {
		struct fg_task_member *member = fg_load_acquire(&pool->member[i]);
		if (member)
			fg_task_wake_member_slow(member);
	}
}

static bool
wake_elsewhere(struct fg_task_pool *pool, const struct fg_family *family, const struct fg_worker *not_here)
{
	for (unsigned i = 0; i < pool->size; i++) {
		struct fg_task_member *other = fg_load_acquire(&pool->member[i]);
		if (!other || fg_load_acquire(&other->asleep) != FG_TASK_ASLEEP ||
		    (not_here && fg_load_relaxed(&other->worker) == not_here))
			continue;
		if (fg_family_may_run((void *)family, fg_load_relaxed(&other->within)) &&
		    fg_task_rouse(other, FG_TASK_CALLED)) {
			fg_unpark(other, 1);
			return true;
		}
	}
	return false;
}

void
fg_task_wake_one_slow(struct fg_task_member *member, struct fg_task_pool *pool, const struct fg_family *family)
{
	assert(!member || member->pool == pool);
	struct fg_worker *here = member ? fg_load_relaxed(&member->worker) : NULL;
	if (pool->docked && fg_helpers_wake_docked(&pool->team->primary->root->dock, here))
		return;
	if (fg_load_relaxed(&pool->sleepers) &&
	    (wake_elsewhere(pool, family, here) || wake_elsewhere(pool, family, NULL)))
		return;
	if (pool->team && !pool->docked)
		fg_helpers_wake(&pool->team->births, here);
}

/* Each sleeper looks for tasks itself once it has told that it sleeps. */
void
fg_task_call_others(struct fg_task_pool *pool, const struct fg_worker *here)
{
	fg_fence_light();
	if (!fg_task_someone_sleeps(pool) || !fg_task_pool_has_waiting(pool))
		return;
	if (pool->docked && fg_helpers_wake_docked(&pool->team->primary->root->dock, here))
		return;
	fg_task_wake_all(pool);
	if (pool->team && !pool->docked)
		fg_helpers_wake(&pool->team->births, here);
}
