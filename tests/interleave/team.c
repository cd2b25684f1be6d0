/* The barrier of a nested team. Its members are born on two workers and wait for each other, twice in a row.
 * The members of a large team arrive by groups, here of two.
 *
 * Sources: team/sync/barrier.c team/sync/arrivals.c team/env/features.c
 * Constants: team/sync/arrivals.c MEMBERS=2
 * With: floor
 */
#include "team/sync/barrier.h"
#include "team/team.h"
#include "exec/nested/birth.h"
#include "exec/flat/dock.h"
#include "interleave/floor.h"
#include "interleave/model.h"
#include "team/sync/arrivals.h"
#include "team/sync/cancel.h"
#include "team/tasks/wait.h"

/* Only the barrier of the floor `team`: no tasks, no cancellation. */
struct fg_env fg_env;

void
fg_task_barrier(struct fg_identity *self, struct fg_task_pool *pool, uint32_t phase)
{
	(void)self, (void)pool, (void)phase;
	model_fail("there are no tasks here");
}

void
fg_task_wait(struct fg_identity *self, struct fg_task_member *member, struct fg_family *within, bool (*over)(void *arg),
	     void *arg)
{
	(void)self, (void)member, (void)within, (void)over, (void)arg;
	model_fail("there are no tasks here");
}

void
fg_task_wait_at(struct fg_identity *self, uint32_t phase, bool (*over)(void *arg), void *arg)
{
	(void)self, (void)phase, (void)over, (void)arg;
	model_fail("there are no tasks here");
}

void
fg_task_finish(struct fg_identity *self)
{
	(void)self;
	model_fail("there are no tasks here");
}

void
fg_task_wake_all(struct fg_task_pool *pool)
{
	(void)pool;
	model_fail("there are no tasks here");
}

struct fg_task_member *
fg_task_member_slow(struct fg_identity *self)
{
	(void)self;
	model_fail("there are no tasks here");
}

bool
fg_cancel_cross(struct fg_identity *self, struct fg_team *of, bool cancellable)
{
	(void)self, (void)of, (void)cancellable;
	model_fail("there is no cancellation here");
}

static struct fg_root *root;
static struct fg_team team;
static unsigned first[4], second[4], size, phases;
static bool groups;

static void
barrier_body(void *job, unsigned member)
{
	(void)job;
	struct fg_identity *self = fg_self();
	struct fg_thread saved = self->thread;
	self->thread.team = &team;
	self->thread.num = member;
	first[member] = 1;
	fg_team_barrier(self);
	for (unsigned k = 0; k < size; k++)
		model_assert(first[k] == 1);
	if (phases == 2) {
		second[member] = 1;
		fg_team_barrier(self);
		for (unsigned k = 0; k < size; k++)
			model_assert(second[k] == 1);
	}
	model_assert(fg_self() == self);
	self->thread = saved;
}

static void
flat_body(void *job, unsigned member)
{
	(void)job;
	if (member)
		return;
	struct fg_births births = {.body = barrier_body, .width = 2};
	fg_births_publish(fg_self(), &births, size);
	barrier_body(NULL, 0);
	fg_births_join(fg_self(), &births);
	fg_births_leave(fg_self(), &births);
}

static void
run(void)
{
	root = floor_root(false);
	team.mode = FG_TEAM_LOOSE;
	team.size = size;
	team.version = 1;
	if (groups)
		fg_arrivals_prepare(&team);
	model_assert(fg_dock_acquire(&root->identity, 2, NULL));
	fg_dock_fork(&root->identity, flat_body, NULL, NULL, NULL);
	flat_body(NULL, 0);
	fg_dock_join(&root->identity);
}

static void
setup_two(void)
{
	floor_setup();
	size = 2;
	phases = 2;
}
MODEL_SCENARIO(loose_barrier_two, .setup = setup_two, .thread = {run},
	       .broken = MODEL_BROKEN("drop loose_barrier:store_relaxed", "drop loose_barrier:store_release",
				      "weaken loose_barrier:store_release", "weaken loose_barrier:add_acq_rel",
				      "weaken passed:load_acquire"));

static void
setup_three(void)
{
	floor_setup();
	size = 3;
	phases = 1;
}
MODEL_SCENARIO(loose_barrier_three, .setup = setup_three, .thread = {run},
	       .broken = MODEL_BROKEN("weaken loose_barrier:add_acq_rel", "drop loose_barrier:store_release"));

static void
setup_groups(void)
{
	setup_three();
	groups = true;
}
MODEL_SCENARIO(loose_groups, .setup = setup_groups, .thread = {run},
	       .broken = MODEL_BROKEN("drop raise_phase:store_release", "weaken raise_phase:store_release",
				      "weaken passed:load_acquire", "weaken count:add_acq_rel"));

static void
setup_groups_twice(void)
{
	setup_groups();
	phases = 2;
}
MODEL_SCENARIO(loose_groups_twice, .setup = setup_groups_twice, .thread = {run},
	       .broken = MODEL_BROKEN("drop count:store_relaxed"));
