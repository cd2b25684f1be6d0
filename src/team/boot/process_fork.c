/* The child of a fork inside a region is a team of one until the region's end (floor: team).
 *
 * The C library calls `child` in the child of a fork (pthread_atfork), on its one thread, outside the runtime. Locks
 * may have been held by threads that do not exist here. So each file that has locks or lists begins anew, before
 * another file uses it. The memory comes first, because the others may allocate. */
#include <pthread.h>

#include "exec/top/process_fork.h"
#include "forest/live.h"
#include "machine/load.h"
#include "memory/area.h"
#include "memory/windows.h"
#include "platform/memory.h"
#include "sched/home.h"
#include "sched/policy.h"
#include "sched/slices.h"
#include "team/alloc/allocator.h"
#include "team/alloc/mover.h"
#include "team/alloc/shelf.h"
#include "team/lock/handover.h"
#include "team/share/workshare.h"
#include "team/samples.h"
#include "team/stuck.h"
#include "team/tasks/pool.h"
#include "team/team.h"

/* No thread finishes what the other members were doing to the team's shared state, so that state is dropped. */
static void
team_of_one(struct fg_team *team, struct fg_thread *member)
{
	team->size = 1;
	team->mode = FG_TEAM_SERIAL;
	team->outer_version = 0;
	team->version++;
	fg_store_relaxed(&team->arrived, 0);
	fg_store_relaxed(&team->share_cancelled, 0);
	fg_store_relaxed(&team->shares, NULL);
	fg_spinlock_init(&team->shares_lock, FG_RANK_SHARES);
	team->overflow = NULL;
	team->shares_top = 0;
	fg_store_relaxed(&team->singles, member->singles);
	fg_store_relaxed(&team->tasks, NULL);
	fg_store_relaxed(&team->tasks_free, NULL);
	team->group_threads = NULL;
	team->births.bubble.areas = NULL;
	team->births.bubble.sums = NULL; /* the block is in a file that the parent shares */
	fg_live_forget(&team->births.bubble);
	fg_home_forget(&team->births.bubble);
	member->num = 0;
	member->size = 1;
	member->task = NULL; /* its children will never be complete */
	member->tasks = NULL;
}

/* Tasks that were met outside of regions, and that only a thread of the parent could end. */
static void
drop_own_tasks(struct fg_thread *outside)
{
	if (fg_task_pool_swap(NULL))
		outside->task = NULL, outside->tasks = NULL;
}

static void
child(void)
{
	fg_memory_after_fork();
	fg_exec_after_fork();
	fg_stuck_after_fork();
	fg_samples_after_fork();
	fg_alloc_note_after_fork();
	fg_shelf_after_fork();
	fg_areas_after_fork();
	fg_mover_after_fork();
	fg_windows_after_fork();
	fg_handover_after_fork();
	fg_load_after_fork();
	fg_store_relaxed(&fg_slices_given, 0);
	fg_policy_redistribute_after_fork();
	fg_homes_after_fork();
	struct fg_identity *self = fg_self();
	if (!self)
		return;
	fg_own_store_relaxed(&self->entity.met, NULL);
	struct fg_thread *member = &self->thread;
	for (struct fg_team *team = member->team; team; team = team->outer) {
		team_of_one(team, member);
		member = &team->saved;
	}
	drop_own_tasks(member);
}

__attribute__((constructor(104))) static void
start(void)
{
	pthread_atfork(NULL, NULL, child);
}
