/* The tasks of scenarios in which members help. The functions are static, so that the checker sees plain accesses here
 * as in the scenario itself. */
#pragma once
#include "exec/flat/dock.h"
#include "exec/flat/help.h"
#include "exec/helpers/helpers.h"
#include "exec/loop/loop.h"
#include "interleave/floor.h"
#include "interleave/model.h"
#include "platform/membarrier.h"

/* There are `made` tasks. Each runs once, before the region ends. No member looks at a region that is over. */
static struct fg_atomic_u32 made, taken;
static struct fg_root *root;
static bool region_over;
static unsigned ran;

__attribute__((unused)) static bool
task_waiting(void *job)
{
	(void)job;
	model_assert(!region_over);
	return fg_load_acquire(&made) != fg_load_acquire(&taken);
}

__attribute__((unused)) static bool
task_past(void *job, uint32_t phase)
{
	(void)job, (void)phase;
	return false;
}

__attribute__((unused)) static void
task_call(void *job, const struct fg_worker *but)
{
	(void)job;
	fg_fence_light();
	if (fg_load_relaxed(&made) != fg_load_relaxed(&taken) && !model_broken("not passed on"))
		fg_helpers_wake_docked(&but->crew.root->dock, but);
}

__attribute__((unused)) static unsigned
task_run(struct fg_identity *self)
{
	(void)self;
	model_assert(!region_over);
	uint32_t next = fg_load_relaxed(&taken);
	if (next != fg_load_acquire(&made) && fg_cas_acq_rel(&taken, &next, next + 1))
		ran++;
	return 1;
}

__attribute__((unused)) static unsigned
task_come_back(void *job, unsigned member)
{
	(void)job;
	model_assert(member == 1);
	return task_run(fg_self());
}

__attribute__((unused)) static void
task_finish(struct fg_identity *self)
{
	while (task_waiting(NULL))
		task_run(self);
}

__attribute__((unused)) static const struct fg_help tasks = {task_waiting, task_past,	task_call,
							     task_run,	   task_finish, task_come_back};

__attribute__((unused)) static void
task_make(uint32_t n)
{
	fg_store_release(&made, n);
	fg_fence_light();
	if (fg_load_relaxed(&fg_idle.sleepers))
		fg_helpers_wake_docked(&fg_self()->crew_of->crew.root->dock, fg_self()->worker);
}

/* The other member is done at once. */
__attribute__((unused)) static void
docked_body(void *job, unsigned member)
{
	(void)job, (void)member;
}
