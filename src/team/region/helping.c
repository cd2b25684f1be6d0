/* Helping: the tasks of a region are the work that its docked threads, and the threads that it has let go, may be
 * called for (floor: team; see exec/ground/above.h). */
#include "team/region/helping.h"

#include "exec/thread/worker.h"
#include "team/region/member.h"
#include "team/tasks/thief.h"
#include "team/tasks/wait.h"

/* The member of the caller, if it only spins in a large team. NULL: the caller must look at all members. */
static struct fg_task_member *
spinning(const struct fg_task_pool *pool)
{
	const struct fg_identity *self = fg_self();
	if (!self || self->thread.team != pool->team)
		return NULL;
	struct fg_task_member *member =
		self->thread.tasks ? self->thread.tasks : fg_load_relaxed(&pool->member[self->thread.num]);
	bool here = member && member->pool == pool && member->layout == pool->layout;
	return here && !fg_load_relaxed(&self->worker->asleep) ? member : NULL;
}

/* A member that knows where its group looks does so; it may know that from the last region. One that has never looked
 * in this layout is called for once, so that it learns that. */
static bool
may_find(struct fg_task_member *member, const struct fg_task_pool *pool)
{
	if (member->scout)
		return fg_task_thief_sees(member);
	if (member->called || !fg_load_relaxed(&pool->producers))
		return fg_task_pool_has_waiting(pool);
	return member->called = true;
}

/* Any thread of the member's worker may ask, with a lock held. */
bool
fg_helping_waiting(void *team)
{
	struct fg_task_pool *pool = fg_load_acquire(&((struct fg_team *)team)->tasks);
	if (!pool)
		return false;
	struct fg_task_member *member = fg_task_pool_is_large(pool) ? spinning(pool) : NULL;
	return member ? may_find(member, pool) : fg_task_pool_has_waiting(pool);
}

/* The caller is in the team's region, or at its end before its primary thread. */
void
fg_helping_call(void *team, const struct fg_worker *but)
{
	struct fg_task_pool *pool = fg_load_acquire(&((struct fg_team *)team)->tasks);
	if (pool)
		fg_task_call_others(pool, but);
}

bool
fg_helping_past(void *team, uint32_t phase)
{
	struct fg_task_pool *pool = fg_load_acquire(&((struct fg_team *)team)->tasks);
	return pool && fg_task_pool_is_past(pool, phase);
}

unsigned
fg_helping_come_back(void *job, unsigned num)
{
	struct fg_team *team = job;
	fg_happens_after(&team->fn);
	fg_team_member(fg_self(), team, num);
	return fg_task_help(fg_self());
}
