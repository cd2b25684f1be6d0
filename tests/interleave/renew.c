/* Renew: a member of a large pool begins a region, frees the memory of the last one, and makes tasks. Another member
 * looks at its deque from the beginning of the region on.
 *
 * Sources: team/tasks/deque.c team/tasks/store.c team/tasks/pool.c team/tasks/wake.c team/tasks/limit.c
 * Sources: team/tasks/queue.c
 * Constants: team/tasks/deque.c RING_FIRST=2
 * Constants: team/tasks/store.c SLAB_FAMILIES=2
 * With: floor
 */
#include "interleave/floor.h"
#include "interleave/model.h"
#include "team/hooks.h"
#include "team/tasks/depend_table.h"
#include "team/tasks/ready.h"

struct fg_env fg_env;

const struct fg_team_hooks fg_team_hooks; /* no pool is opened or freed here */

void
fg_depend_table_rest(struct fg_task *task, struct fg_store *own)
{
	(void)task, (void)own;
	model_assert(!"no task has dependences");
}

#define TASKS 3

static struct fg_task_pool *pool;
static struct fg_team team;
static struct fg_deferred old[TASKS], new[TASKS];
static struct fg_atomic_u32 over;
static unsigned ran[2];

static struct fg_task_member *
member_of(unsigned i)
{
	return fg_load_relaxed(&pool->member[i]);
}

static bool
may_take(void *family, void *within)
{
	return fg_family_may_run(family, within);
}

/* Makes tasks with families of their own, inside a family of the region. So the ring grows, and so do the slabs. */
static void
make(struct fg_task_member *member, struct fg_deferred *tasks, struct fg_family *family[TASKS + 1])
{
	for (unsigned i = 0; i <= TASKS; i++) {
		family[i] = fg_store_get(&member->store, FG_BLOCK_FAMILY, sizeof *family[i]);
		fg_family_init(family[i], i ? family[0] : NULL, member);
	}
	for (unsigned i = 0; i < TASKS; i++) {
		tasks[i].task.family = family[i + 1];
		fg_task_keep(member, &tasks[i], family[i + 1]);
	}
}

static void
run_own(struct fg_task_member *member, struct fg_deferred *tasks, unsigned region)
{
	for (struct fg_deferred *task; (task = fg_deque_pop(&member->deque)); ran[region]++)
		model_assert(task >= tasks && task < tasks + TASKS);
}

static void
steal(struct fg_task_member *from, struct fg_deferred *tasks, unsigned region, void *within)
{
	struct fg_deferred *task = fg_deque_steal(&from->deque, may_take, within);
	model_assert(!task || (task >= tasks && task < tasks + TASKS));
	if (task)
		fg_add_relaxed(&over, 1u << (8 * region + 8));
}

static void
renew_setup(void)
{
	floor_setup();
	pool = model_alloc(fg_task_pool_bytes(2) + sizeof(struct fg_scout));
	pool->size = 2;
	pool->n_scouts = 1;
	pool->scouts = (struct fg_scout *)(((uintptr_t)&pool->member[2] + 127) & ~(uintptr_t)127);
	pool->team = &team;
	team.size = 2;
	team.mode = FG_TEAM_LOOSE;
	for (unsigned i = 0; i < 2; i++)
		fg_task_member_of(pool, i);
}

static void
open_setup(void)
{
	renew_setup();
	for (unsigned i = 0; i < 2; i++)
		member_of(i)->layout = 1;
	pool->layout = 1; /* stays: the deques stay open */
}

static void
renew_owner(void)
{
	struct fg_family *family[TASKS + 1];
	struct fg_task_member *member = member_of(0);
	make(member, old, family);
	fg_store_release(&over, 1);
	while (!(fg_load_acquire(&over) & 2))
		fg_carrier->pause();
	run_own(member, old, 0);
	for (unsigned i = 0; i <= TASKS; i++)
		fg_store_put(&member->store, &family[i]->block);
	/* The primary thread ends the region, and begins the next. */
	if (!model_broken("the epoch stays"))
		pool->epoch++;
	if (!pool->layout)
		fg_store_relaxed(&pool->producers, NULL);
	fg_or_acq_rel(&over, 4);
	struct fg_deque_ring *big = fg_load_relaxed(&member->deque.ring);
	if (model_broken("the ring is freed late")) {
		make(member, new, family);
		fg_deque_trim(&member->deque);
	} else {
		model_assert(fg_task_member_of(pool, 0) == member && fg_task_member_is_here(member));
		model_assert(fg_load_relaxed(&member->deque.ring) != big); /* trimmed */
		make(member, new, family);
	}
	run_own(member, new, 1);
}

static void
renew_thief(void)
{
	struct fg_task_member *from = member_of(0);
	while (!(fg_load_acquire(&over) & 1))
		fg_carrier->pause();
	steal(from, old, 0, NULL);
	fg_or_acq_rel(&over, 2);
	if (!model_broken("the thief is still in the last region"))
		while (!(fg_load_acquire(&over) & 4))
			fg_carrier->pause();
	for (unsigned i = 0; i < 2; i++) {
		steal(from, new, 1, NULL);
		fg_deque_oldest(&from->deque);
	}
}

static void
renew_check(void)
{
	uint32_t stolen = fg_load_relaxed(&over);
	model_assert(ran[0] + (stolen >> 8 & 255) == TASKS && ran[1] + (stolen >> 16 & 255) == TASKS);
}
MODEL_SCENARIO(renew, .setup = renew_setup, .thread = {renew_owner, renew_thief}, .check = renew_check,
	       .broken = MODEL_BROKEN("fault the epoch stays", "fault the ring is freed late",
				      "fault the thief is still in the last region",
				      "weaken fg_deque_push:store_release"));
MODEL_SCENARIO(renew_open, .setup = open_setup, .thread = {renew_owner, renew_thief}, .check = renew_check,
	       .broken = MODEL_BROKEN("fault the epoch stays", "fault the ring is freed late",
				      "fault the thief is still in the last region",
				      "weaken fg_deque_push:store_release"));
