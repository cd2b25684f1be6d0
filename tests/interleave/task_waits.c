/* Tasks that wait for members: for all others to begin a task, or to pass a barrier.
 *
 * Constants: exec/flat/help.c LOOK_TURNS=1
 * Constants: exec/nested/rejoin.c LOOK_TURNS=1
 * Constants: exec/loop/park.c KERNEL_SPIN_NS=1
 * With: floor
 */
#include "exec/donor/donor.h"
#include "exec/ground/options.h"
#include "exec/thread/root_worker.h"
#include "exec/loop/park.h"
#include "interleave/help_tasks.h"

/* The team has as many tasks as members, and each task waits until all have begun. So every member must run one,
 * wherever it has arrived. */
static unsigned all;
static struct fg_atomic_u32 begun, ended;
static bool spins;

static bool
not_all_begun(void *arg)
{
	(void)arg;
	return fg_load_acquire(&begun) != all;
}

static bool
not_all_ended(void *arg)
{
	(void)arg;
	return fg_load_acquire(&ended) != all;
}

/* A tick may come at each turn. */
static void
wait_spinning(struct fg_identity *self)
{
	while (not_all_begun(NULL)) {
		fg_carrier->pause();
		if (self->worker->carries && !model_broken("no tick"))
			fg_worker_preempt(self);
	}
}

static void
wait_until(struct fg_atomic_u32 *word, bool (*not_yet)(void *arg))
{
	struct fg_spin spin = FG_SPIN_INIT;
	while (not_yet(NULL))
		if (!fg_spin(&spin))
			fg_park(word, not_yet, NULL);
}

static void
meet(struct fg_identity *self)
{
	fg_add_acq_rel(&begun, 1);
	fg_unpark(&begun, -1u);
	if (spins)
		wait_spinning(self);
	else
		wait_until(&begun, not_all_begun);
	fg_add_acq_rel(&ended, 1);
	fg_unpark(&ended, -1u);
	fg_yield(); /* as on its way back, where it may have to make a donor */
}

static unsigned
meet_run(struct fg_identity *self)
{
	for (uint32_t next; (next = fg_load_relaxed(&taken)) != fg_load_acquire(&made);) {
		model_assert(!region_over);
		if (fg_cas_acq_rel(&taken, &next, next + 1))
			meet(self);
	}
	model_assert(!region_over);
	return 1;
}

static void
meet_finish(struct fg_identity *self)
{
	meet_run(self);
	wait_until(&ended, not_all_ended);
}

static const struct fg_help meet_tasks = {task_waiting, task_past, task_call, meet_run, meet_finish, task_come_back};

static void
meet_make(void)
{
	fg_help_open();
	for (unsigned k = 1; k <= all; k++)
		task_make(k);
}

static void
meet_region(unsigned size, const uint16_t *slots, void (*body)(void *job, unsigned member))
{
	all = size;
	region_over = false;
	fg_store_relaxed(&made, 0);
	fg_store_relaxed(&taken, 0);
	fg_store_relaxed(&begun, 0);
	fg_store_relaxed(&ended, 0);
	model_assert(fg_dock_acquire(&root->identity, size, slots));
	fg_dock_fork(&root->identity, body, NULL, NULL, NULL);
	meet_make();
	body(NULL, 0);
	fg_dock_join(&root->identity);
	region_over = true;
	model_assert(fg_load_relaxed(&ended) == all);
}

static const uint16_t two_there[] = {0, 1, 1}, two_here[] = {0, 0, 1};

/* At the end of a team whose members have seats. Next time they may have other seats. */
static void
meet_seated(void)
{
	root = floor_root(false);
	floor_help = &meet_tasks;
	meet_region(3, two_there, docked_body);
	meet_region(3, two_here, docked_body);
}
MODEL_SCENARIO(meet_seated, .setup = floor_setup, .thread = {meet_seated}, .max_steps = 4000,
	       .broken = MODEL_BROKEN("drop fg_help_until_closed:cas_acq_rel", "drop fg_help_until_closed:sub_acq_rel",
				      "drop wake"));

/* Members may be lent before they end. */
static void
meet_dealt(void)
{
	root = floor_root(false);
	floor_help = &meet_tasks;
	meet_region(4, NULL, docked_body);
}
MODEL_SCENARIO(meet_dealt, .setup = floor_setup, .thread = {meet_dealt}, .max_steps = 4000, .weight = 2,
	       .broken = MODEL_BROKEN("drop fg_help_until_closed:cas_acq_rel", "drop wake"));

/* At a barrier, which is over when the tasks are. */
static bool arrived[3];

static void
meet_barrier_body(void *job, unsigned member)
{
	(void)job;
	struct fg_identity *self = fg_self();
	arrived[member] = true;
	fg_dock_barrier(self);
	model_assert(arrived[0] && arrived[1] && arrived[2]);
	meet_finish(self);
}

static void
meet_barrier(void)
{
	root = floor_root(false);
	floor_help = &meet_tasks;
	meet_region(3, two_there, meet_barrier_body);
}
MODEL_SCENARIO(meet_barrier, .setup = floor_setup, .thread = {meet_barrier}, .max_steps = 4000,
	       .broken = MODEL_BROKEN("weaken fg_dock_barrier:store_release", "drop wake"));

/* With tasks that spin. */
static void
meet_spinning(void)
{
	root = floor_root(false);
	floor_help = &meet_tasks;
	spins = true;
	fg_donor_stock(3);
	meet_region(3, two_there, docked_body);
}
MODEL_SCENARIO(meet_spinning, .setup = floor_setup, .thread = {meet_spinning}, .max_steps = 4000,
	       .broken = MODEL_BROKEN("fault no tick"));

/* A task that the other crew has made after the barrier waits for members that have not passed it yet. So a member
 * that is still at the barrier must not begin it. */
static struct fg_atomic_u32 behind; /* the last phase all of whose tasks are over */
static struct fg_atomic_u32 passed[3];

static bool
late_past(void *job, uint32_t phase)
{
	(void)job;
	return (int32_t)(fg_load_acquire(&behind) - phase) >= 0 && !model_broken("none is late");
}

static bool
has_not_passed(void *arg)
{
	struct fg_atomic_u32 *member = arg;
	return fg_load_acquire(member) == 0;
}

static void
late_end(unsigned n)
{
	ran++;
	fg_store_release(&ended, n);
	fg_unpark(&ended, -1u);
}

static void
wait_for_all_to_pass(void)
{
	struct fg_spin spin = FG_SPIN_INIT;
	for (unsigned member = 0; member < 3; member++)
		while (has_not_passed(&passed[member]))
			if (!fg_spin(&spin))
				fg_park(&passed[member], has_not_passed, &passed[member]);
}

static uint32_t waiting_one; /* Number of the task that waits until all have passed. Numbers start at 1; 0: none. */

static unsigned
late_run(struct fg_identity *self)
{
	for (uint32_t next; (next = fg_load_acquire(&taken)) != fg_load_acquire(&made);) {
		if (!fg_cas_acq_rel(&taken, &next, next + 1))
			continue;
		if (fg_help_late(self->worker)) {
			fg_store_release(&taken, next);
			break;
		}
		if (next + 1 == waiting_one)
			wait_for_all_to_pass();
		late_end(next + 1);
	}
	return 1;
}

static void
late_finish(struct fg_identity *self)
{
	late_run(self);
	wait_until(&ended, not_all_ended);
}

static const struct fg_help late_tasks = {task_waiting, late_past, task_call, late_run, late_finish, task_come_back};

static bool
first_not_ended(void *arg)
{
	(void)arg;
	return fg_load_acquire(&ended) == 0;
}

static void
late_body(void *job, unsigned member)
{
	(void)job;
	struct fg_identity *self = fg_self();
	fg_dock_barrier(self);
	if (member == 0) {
		wait_until(&ended, first_not_ended);
		fg_store_release(&behind, (uint32_t)self->crew_of->crew.phase);
		task_make(2);
	}
	fg_store_release(&passed[member], 1);
	fg_unpark(&passed[member], -1u);
}

/* The first task is of the phase before the barrier, the second of the phase after it. */
static void
late(void)
{
	root = floor_root(false);
	floor_help = &late_tasks;
	all = waiting_one = 2;
	model_assert(fg_dock_acquire(&root->identity, 3, two_there));
	fg_store_relaxed(&behind, (uint32_t)fg_root_worker(root)->crew.phase);
	fg_dock_fork(&root->identity, late_body, NULL, NULL, NULL);
	fg_help_open();
	task_make(1);
	late_body(NULL, 0);
	fg_dock_join(&root->identity);
	region_over = true;
	model_assert(ran == 2);
}
MODEL_SCENARIO(task_late, .setup = floor_setup, .thread = {late}, .max_steps = 4000, .weight = 3,
	       .broken = MODEL_BROKEN("fault none is late", "drop wake"));

/* A member that is woken for a task goes on instead, because its wait is over. So another member is woken, one that
 * has ended and would otherwise sleep on. */
static void
leaver_body(void *job, unsigned member)
{
	(void)job;
	struct fg_identity *self = fg_self();
	fg_dock_barrier(self);
	if (member == 0) {
		fg_store_release(&behind, (uint32_t)self->crew_of->crew.phase);
		task_make(1);
	}
	if (member != 2)
		wait_until(&ended, first_not_ended);
}

static void
leaver_setup(void)
{
	floor_setup();
	fg_exec_options.n_pus = 4;
}

static void
leaver(void)
{
	root = floor_root(false);
	floor_help = &late_tasks;
	all = 1;
	model_assert(fg_dock_acquire(&root->identity, 4, NULL));
	fg_store_relaxed(&behind, (uint32_t)fg_root_worker(root)->crew.phase);
	fg_dock_fork(&root->identity, leaver_body, NULL, NULL, NULL);
	fg_help_open();
	leaver_body(NULL, 0);
	fg_dock_join(&root->identity);
	region_over = true;
	model_assert(ran == 1);
}
MODEL_SCENARIO(task_leaver, .setup = leaver_setup, .thread = {leaver}, .weight = 3, .max_steps = 9000,
	       .broken = MODEL_BROKEN("fault not passed on"));
