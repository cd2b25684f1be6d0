/* Dependences. The list of the tasks that follow a child is closed when the child is complete. Locks keep tasks
 * apart that exclude each other.
 *
 * Sources: team/tasks/depend.c team/tasks/depend_complete.c team/tasks/depend_node.c team/tasks/depend_table.c
 * Sources: team/tasks/store.c
 * Constants: exec/loop/park.c KERNEL_SPIN_NS=1
 * With: floor
 */
#include "interleave/floor.h"
#include "interleave/model.h"
#include "team/tasks/depend_table.h"
#include "team/tasks/run.h"

void
fg_task_wake_member_slow(struct fg_task_member *member)
{
	(void)member;
	model_fail("nobody waits here");
}

/* Each child becomes ready once, when the children that it follows are complete. */
#define CHILDREN 4
static struct fg_task parent;
static struct fg_task_member maker; /* makes the children; the other thread is no member */
static struct fg_deferred children[CHILDREN];
static struct fg_atomic_u32 readiness[CHILDREN];
static unsigned worked[CHILDREN];
static int address[2];

void
fg_task_ready(struct fg_task_member *member, struct fg_deferred *task)
{
	(void)member;
	model_assert(fg_exchange_acq_rel(&readiness[task - children], 1) == 0);
}

static void
child_make(unsigned k, void **depend)
{
	if (fg_depend_enter(&maker, &parent, depend, &children[k]) == FG_DEPEND_READY)
		fg_task_ready(NULL, &children[k]);
}

static void
child_wait(unsigned k)
{
	while (!fg_load_acquire(&readiness[k]))
		fg_carrier->pause();
}

/* The last child follows all the others. */
static void
child_run(unsigned k, bool last)
{
	child_wait(k);
	for (unsigned before = 0; last && before < k; before++)
		model_assert(worked[before] == 1);
	worked[k] = 1;
	fg_depend_complete(NULL, children[k].node);
}

/* Three children on one address: out, in, out. Another thread completes the first two as soon as they are ready,
 * while the last is being made. */
static void
depend_maker(void)
{
	for (unsigned k = 0; k < 3; k++)
		child_make(k, (void *[]){(void *)1, (void *)(uintptr_t)(k != 1), address});
	child_run(2, true);
	fg_depend_table_free(&parent, &maker.store);
	fg_store_clear(&maker.store);
}

static void
depend_runner(void)
{
	child_run(0, true);
	child_run(1, true);
}
MODEL_SCENARIO(depend, .thread = {depend_maker, depend_runner}, .weight = 2,
	       .broken = MODEL_BROKEN("weaken push:cas_acq_rel", "drop push:cas_acq_rel", "drop made:store_relaxed",
				      "weaken push:load_acquire", "weaken fg_depend_is_complete:load_acquire",
				      "drop fg_depend_complete:exchange_acq_rel",
				      "weaken fg_depend_complete:exchange_acq_rel"));

/* A child on two addresses follows two others. Two threads complete these while it is being made. */
static void
pair_maker(void)
{
	child_make(0, (void *[]){(void *)1, (void *)1, &address[0]});
	child_make(1, (void *[]){(void *)1, (void *)1, &address[1]});
	child_make(2, (void *[]){(void *)2, (void *)2, &address[0], &address[1]});
	child_run(1, false);
	child_run(2, true);
	fg_depend_table_free(&parent, &maker.store);
	fg_store_clear(&maker.store);
}

static void
pair_runner(void)
{
	child_run(0, false);
}

static void
pair_maker_only(void)
{
	child_make(0, (void *[]){(void *)1, (void *)1, &address[0]});
	child_make(1, (void *[]){(void *)1, (void *)1, &address[1]});
	child_make(2, (void *[]){(void *)2, (void *)2, &address[0], &address[1]});
}

static void
pair_second(void)
{
	child_run(1, false);
	child_run(2, true);
}

static void
pair_check(void)
{
	fg_depend_table_free(&parent, &maker.store);
	fg_store_clear(&maker.store);
}
MODEL_SCENARIO(depend_pair, .thread = {pair_maker, pair_runner}, .weight = 2,
	       .broken = MODEL_BROKEN("drop made:add_acq_rel", "drop tell_task:sub_acq_rel"));
MODEL_SCENARIO(depend_pair_of_three, .thread = {pair_maker_only, pair_runner, pair_second}, .check = pair_check,
	       .broken = MODEL_BROKEN("weaken made:add_acq_rel", "weaken tell_task:sub_acq_rel",
				      "weaken tell_task:load_acquire"));

/* The maker waits for two children, which another thread completes. */
static struct fg_task_pool pool; /* no member sleeps */

static void
wait_maker(void)
{
	maker.pool = &pool;
	child_make(0, (void *[]){(void *)1, (void *)1, &address[0]});
	child_make(1, (void *[]){(void *)1, (void *)1, &address[1]});
	struct fg_depend_node node;
	void *both[] = {(void *)2, (void *)2, &address[0], &address[1]};
	if (fg_depend_follow(&parent, both, &maker, &node))
		while (fg_load_acquire(&node.missing))
			fg_carrier->pause();
	model_assert(worked[0] == 1 && worked[1] == 1);
	fg_depend_table_free(&parent, &maker.store);
	fg_store_clear(&maker.store);
}

static void
wait_runner(void)
{
	child_run(0, false);
	child_run(1, false);
}
MODEL_SCENARIO(depend_wait, .thread = {wait_maker, wait_runner},
	       .broken = MODEL_BROKEN("drop tell_waiter:sub_acq_rel", "weaken tell_waiter:sub_acq_rel"));

/* Exclusion: mutexinoutset on the first address, on both (the second named first), on the second. A task's writes at
 * its addresses are plain, so two tasks at once are a race. A last child follows all. */
static unsigned inside[2];

static void
exclusive_run(unsigned k)
{
	child_wait(k);
	for (unsigned a = 0; a < 2; a++)
		if (k == 1 || k == 2 * a)
			inside[a]++;
	child_run(k, false);
}

static void
exclusive_maker(void)
{
	child_make(0, (void *[]){0, (void *)1, 0, (void *)1, 0, &address[0]});
	child_make(1, (void *[]){0, (void *)2, 0, (void *)2, 0, &address[1], &address[0]});
	child_make(2, (void *[]){0, (void *)1, 0, (void *)1, 0, &address[1]});
	child_make(3, (void *[]){(void *)2, (void *)2, &address[0], &address[1]});
	exclusive_run(1);
	child_run(3, true);
	model_assert(inside[0] == 2 && inside[1] == 2);
	fg_depend_table_free(&parent, &maker.store);
	fg_store_clear(&maker.store);
}

static void
exclusive_runner(void)
{
	exclusive_run(0);
	exclusive_run(2);
}
MODEL_SCENARIO(depend_exclusive, .thread = {exclusive_maker, exclusive_runner}, .weight = 2,
	       .broken = MODEL_BROKEN("drop fg_depend_lock_take:cas_acq_rel", "weaken fg_depend_lock_take:cas_acq_rel",
				      "drop fg_depend_lock_give:cas_acq_rel", "weaken fg_depend_lock_give:cas_acq_rel",
				      "drop fg_depend_lock_give:exchange_acq_rel"));
