/* Helping: the tasks of a region are the work that its docked threads, and the threads that it has let go, may be
 * called for (floor: team; see exec/flat/help.h). */
#include "team/region/helping.h"

#include "team/region/member.h"
#include "team/tasks/wait.h"

/* Any thread of the member's worker may ask, with a lock held. */
static bool
tasks_wait(void *team)
{
	struct fg_task_pool *pool = fg_load_acquire(&((struct fg_team *)team)->tasks);
	return pool && fg_task_pool_has_waiting(pool);
}

/* The caller is in the team's region, or at its end before its primary thread. */
static void
tasks_call(void *team, const struct fg_worker *but)
{
	struct fg_task_pool *pool = fg_load_acquire(&((struct fg_team *)team)->tasks);
	if (pool)
		fg_task_call_others(pool, but);
}

static bool
tasks_past(void *team, uint32_t phase)
{
	struct fg_task_pool *pool = fg_load_acquire(&((struct fg_team *)team)->tasks);
	return pool && fg_task_pool_is_past(pool, phase);
}

static unsigned
come_back(void *job, unsigned num)
{
	struct fg_team *team = job;
	fg_happens_after(&team->fn);
	fg_team_member(fg_self(), team, num);
	return fg_task_help(fg_self());
}

const struct fg_help fg_task_helping = {tasks_wait, tasks_past, tasks_call, fg_task_help, fg_task_finish, come_back};
