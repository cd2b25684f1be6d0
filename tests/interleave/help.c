/* Tasks: the words by which finished members come back for tasks, and the members of a crew that are called.
 *
 * Constants: exec/flat/help.c LOOK_TURNS=1
 * Constants: exec/nested/rejoin.c LOOK_TURNS=1
 * Constants: exec/loop/park.c KERNEL_SPIN_NS=1
 * Constants: exec/flat/groups.c SMALL=2 MOST=2 BLOCK=2
 * Constants: exec/flat/summary.c SUMMARY_TURNS=1
 * With: floor
 */
#include "exec/flat/groups.h"
#include "exec/ground/options.h"
#include "exec/loop/park.h"
#include "exec/nested/birth.h"
#include "exec/nested/rejoin.h"
#include "interleave/help_tasks.h"

static void
docked_run(void)
{
	root = floor_root(false);
	floor_help = &tasks;
	for (unsigned again = 0; again < 2; again++) {
		region_over = false;
		fg_store_relaxed(&made, 0);
		fg_store_relaxed(&taken, 0);
		ran = 0;
		model_assert(fg_dock_acquire(&root->identity, 2, NULL));
		fg_dock_fork(&root->identity, docked_body, NULL, NULL, NULL);
		fg_help_open();
		task_make(1);
		fg_dock_join(&root->identity);
		region_over = true;
		model_assert(ran == 1);
	}
}
MODEL_SCENARIO(task_word, .setup = floor_setup, .thread = {docked_run},
	       .broken = MODEL_BROKEN("drop fg_help_until_closed:cas_acq_rel", "drop fg_help_until_closed:sub_acq_rel",
				      "drop fg_help_close:or_acq_rel", "drop wake"));

/* The words of two groups: worker 0, and workers 1 and 2. A worker of the second group opens them, or the primary
 * thread does. Workers 1 and 2 register in one word. */
static void
groups_setup(void)
{
	floor_setup();
	fg_exec_options.n_pus = 3;
}

static void
groups_body(void *job, unsigned member)
{
	model_assert(root->groups->slots == 3 && root->groups->n_inner == 2);
	if (member != (uintptr_t)job)
		return;
	fg_help_open();
	task_make(1);
}

static void
groups_region(uintptr_t opener)
{
	region_over = false;
	fg_store_relaxed(&made, 0);
	fg_store_relaxed(&taken, 0);
	ran = 0;
	model_assert(fg_dock_acquire(&root->identity, 3, NULL));
	fg_dock_fork(&root->identity, groups_body, (void *)opener, NULL, NULL);
	groups_body((void *)opener, 0);
	fg_dock_join(&root->identity);
	region_over = true;
	model_assert(ran == 1);
}

static void
groups_run(void)
{
	root = floor_root(false);
	floor_help = &tasks;
	groups_region(0);
	groups_region(2);
}
MODEL_SCENARIO(group_words, .setup = groups_setup, .thread = {groups_run}, .weight = 3, .max_steps = 8000,
	       .broken = MODEL_BROKEN("drop fg_help_until_closed:cas_acq_rel", "drop fg_help_until_closed:sub_acq_rel",
				      "weaken fg_help_until_closed:sub_acq_rel", "drop close_copies:or_acq_rel",
				      "weaken nobody_helps_in_groups:load_acquire", "drop fg_help_open:store_release",
				      "drop wake"));

/* Idlers: two of three members share a worker. The one that arrives first is called back from its barrier for the
 * task, because the other two wait for that task. Then it arrives again. */
static struct fg_atomic_u32 done;

static bool
not_done(void *arg)
{
	(void)arg;
	return fg_load_acquire(&done) == 0;
}

static unsigned
idler_run(struct fg_identity *self)
{
	unsigned before = ran, turns = task_run(self);
	if (ran != before) {
		fg_store_release(&done, 1);
		fg_unpark(&done, -1u);
	}
	return turns;
}

static const struct fg_help idler_tasks = {task_waiting, task_past, task_call, idler_run, task_finish, task_come_back};

static void
idlers_body(void *job, unsigned member)
{
	(void)job;
	if (member == 1) {
		fg_help_open();
		task_make(1);
	}
	struct fg_spin spin = FG_SPIN_INIT;
	while (member != 0 && not_done(NULL))
		if (!fg_spin(&spin))
			fg_park(&done, not_done, NULL);
}

static void
idlers_run(void)
{
	root = floor_root(false);
	floor_help = &idler_tasks;
	model_assert(fg_dock_acquire(&root->identity, 3, NULL));
	fg_dock_fork(&root->identity, idlers_body, NULL, NULL, NULL);
	idlers_body(NULL, 0);
	fg_dock_join(&root->identity);
	region_over = true;
	model_assert(ran == 1);
}
MODEL_SCENARIO(idlers, .setup = floor_setup, .thread = {idlers_run}, .weight = 2,
	       .broken = MODEL_BROKEN("drop wake"));

/* The helpers' word of a nested region. A finished thread looks for tasks again and again, while the region ends
 * and the next begins. */
static struct fg_births births;

static void
rejoin_parent(void)
{
	for (unsigned again = 0; again < 2; again++) {
		region_over = false;
		fg_rejoin_begin(&births.rejoin);
		fg_rejoin_open(&births);
		fg_store_release(&made, again + 1);
		task_finish(NULL);
		fg_rejoin_close(&births);
		region_over = true;
	}
	model_assert(ran == 2);
}

static void
rejoin_helper(void)
{
	for (unsigned turn = 0; turn < 2; turn++)
		for (unsigned region = 1; region <= 2; region++)
			if (fg_rejoin_enter(&births, region)) {
				task_run(NULL);
				fg_rejoin_leave(&births);
			}
}

static void
rejoin_setup(void)
{
	floor_setup();
	floor_help = &tasks;
}

static void
rejoin_parent_root(void)
{
	floor_root(false);
	rejoin_parent();
}
MODEL_SCENARIO(rejoin_word, .setup = rejoin_setup, .thread = {rejoin_parent_root, rejoin_helper},
	       .broken = MODEL_BROKEN("drop fg_rejoin_enter:cas_acq_rel", "drop fg_rejoin_leave:sub_acq_rel",
				      "drop fg_rejoin_close:or_acq_rel", "weaken fg_rejoin_leave:sub_acq_rel",
				      "drop wake"));
