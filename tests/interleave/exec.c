/* The protocols of exec, each in the project's own sources, on two or three virtual kernel threads.
 *
 * Constants: exec/loop/park.c KERNEL_SPIN_NS=0
 * With: floor
 */
#include "exec/flat/lend.h"
#include "exec/loop/loop.h"
#include "exec/nested/birth.h"
#include "exec/loop/crew.h"
#include "exec/flat/dock.h"
#include "exec/thread/donor.h"
#include "exec/thread/levels.h"
#include "exec/ground/options.h"
#include "exec/loop/park.h"
#include "interleave/floor.h"
#include "interleave/model.h"
#include "interleave/regions.h"

/* Fork and join of a flat team. */
static void
fork_join(void)
{
	root = floor_root(false);
	flat_region(2, tell_body);
	flat_region(2, tell_body);
}
MODEL_SCENARIO(fork_join, .setup = floor_setup, .thread = {fork_join},
	       .broken = MODEL_BROKEN("weaken fg_dock_fork:store_release", "drop fg_dock_fork:store_release",
				      "weaken forked:load_acquire", "weaken dock_wait:store_release",
				      "drop dock_wait:store_release", "weaken fg_fence_light:fence_seq_cst",
				      "weaken crossed:load_acquire", "weaken fg_fence_light:fence_seq_cst",
				      "weaken fg_fence_heavy:fence_seq_cst", "drop fg_idle_sleep:add_relaxed",
				      "drop wake"));

/* More members than workers. Member 2 shares worker 0 with the primary thread. */
static void
fork_join_crew(void)
{
	root = floor_root(false);
	flat_region(3, tell_body);
}
MODEL_SCENARIO(fork_join_crew, .setup = floor_setup, .thread = {fork_join_crew},
	       .broken = MODEL_BROKEN("weaken dock_wait:store_release", "weaken crossed:load_acquire",
				      "weaken forked:load_acquire"));

/* The layout changes from region to region: by places, dealt round, another size. */
static void
layouts(void)
{
	static const uint16_t one_of_two[] = {0, 1}, all_here[] = {0, 0};
	root = floor_root(false);
	placed_region(2, one_of_two, tell_body);
	flat_region(2, tell_body);
	placed_region(2, all_here, tell_body);
	flat_region(3, tell_body);
}
MODEL_SCENARIO(layouts, .setup = floor_setup, .thread = {layouts},
	       .broken = MODEL_BROKEN("weaken dock_wait:store_release", "weaken forked:load_acquire"));

/* Barrier. Each member writes its own word before it, and reads the others' words after it. */
static unsigned team_size;

static void
barrier_body(void *job, unsigned member)
{
	(void)job;
	seen[member] = 1;
	fg_dock_barrier(fg_self());
	for (unsigned k = 0; k < team_size; k++)
		model_assert(seen[k] == 1);
}

static void
barrier(void)
{
	root = floor_root(false);
	team_size = 2;
	flat_region(2, barrier_body);
}
MODEL_SCENARIO(barrier, .setup = floor_setup, .thread = {barrier},
	       .broken = MODEL_BROKEN("weaken fg_dock_barrier:store_release", "drop fg_dock_barrier:store_release",
				      "weaken crossed:load_acquire", "weaken fg_fence_light:fence_seq_cst",
				      "weaken fg_fence_heavy:fence_seq_cst", "drop wake"));

static void
barrier_crew(void)
{
	root = floor_root(false);
	team_size = 3;
	flat_region(3, barrier_body);
}
MODEL_SCENARIO(barrier_crew, .setup = floor_setup, .thread = {barrier_crew},
	       .broken = MODEL_BROKEN("weaken fg_dock_barrier:store_release", "weaken crossed:load_acquire"));

/* Lending. A member of worker 0's crew runs on worker 1, which asks for it while it waits. Worker 0 answers where it
 * switches. */
static void
lend_body(void *job, unsigned member)
{
	if (member == 0)
		fg_yield();
	tell_body(job, member);
}

static void
lend(void)
{
	root = floor_root(false);
	flat_region(3, lend_body);
}
MODEL_SCENARIO(lend, .setup = floor_setup, .thread = {lend},
	       .broken = MODEL_BROKEN("weaken returned_callback:add_acq_rel", "drop returned_callback:add_acq_rel",
				      "weaken all_back:load_acquire"));

/* The same where worker 0 is in the program's code, and is held meanwhile. */
static void
seize_body(void *job, unsigned member)
{
	struct fg_identity *self = fg_self();
	if (member == 0) {
		fg_leave(self);
		model_point("the program's code");
		fg_enter(self);
	}
	if (member == 1) {
		fg_lend_ask(self->worker);
		fg_lend_ask(self->worker);
	}
	barrier_body(job, member);
}

static void
seize(void)
{
	root = floor_root(false);
	team_size = 3;
	flat_region(3, seize_body);
}
MODEL_SCENARIO(seize, .setup = floor_setup, .thread = {seize},
	       .broken = MODEL_BROKEN("seam no membarrier", "drop fg_hold_end:store_release",
				      "weaken fg_hold_none:load_acquire"));

/* Birth and steal: the members of a nested region are born on the parent's worker, or the other worker steals them. */
static void
nest_body(void *job, unsigned member)
{
	tell_body(job, member);
	if (member == 0)
		nested_region(3, born_body);
}

static void
birth(void)
{
	root = floor_root(false);
	flat_region(2, nest_body);
}
MODEL_SCENARIO(birth, .setup = floor_setup, .thread = {birth},
	       .broken = MODEL_BROKEN("weaken left_after:sub_acq_rel", "drop left_after:sub_acq_rel",
				      "weaken join:load_acquire",
				      "weaken fg_spinlock_lock:cas_acquire",
				      "weaken fg_spinlock_unlock:exchange_acq_rel", "drop inbox_put:store_relaxed"));

/* A member of a nested region opens one itself. Another worker than the one that it left may resume it. */
static unsigned inner[2];

static void
inner_body(void *job, unsigned member)
{
	model_assert(job == inner);
	inner[member]++;
}

static void
deep_body(void *job, unsigned member)
{
	born_body(job, member);
	if (member == 0)
		return;
	unsigned mine = member;
	struct fg_births *births = births_new(inner_body, inner);
	fg_births_publish(fg_self(), births, 2);
	inner_body(inner, 0);
	fg_births_join(fg_self(), births);
	fg_births_leave(fg_self(), births);
	model_assert(mine == member && inner[0] == 1 && inner[1] == 1);
}

static void
nest_deep_body(void *job, unsigned member)
{
	tell_body(job, member);
	if (member == 0)
		nested_region(2, deep_body);
}

static void
birth_deep(void)
{
	root = floor_root(false);
	flat_region(2, nest_deep_body);
}
MODEL_SCENARIO(birth_deep, .setup = floor_setup, .thread = {birth_deep}, .weight = 2,
	       .broken = MODEL_BROKEN("weaken left_after:sub_acq_rel", "drop left_after:sub_acq_rel"));

/* Block and wake: a member of a nested region waits in the parking lot for another one, which may be unborn. */
static struct fg_atomic_u32 flag;

static bool
flag_down(void *arg)
{
	(void)arg;
	return fg_load_acquire(&flag) == 0;
}

static void
flag_wait(void)
{
	struct fg_spin spin = FG_SPIN_INIT;
	while (!fg_load_acquire(&flag))
		if (!fg_spin(&spin))
			fg_park(&flag, flag_down, NULL);
}

static void
flag_raise(void)
{
	fg_store_release(&flag, 1);
	fg_unpark(&flag, -1u);
}

static void
wait_body(void *job, unsigned member)
{
	born_body(job, member);
	if (member == 1)
		flag_wait();
	if (member == 2)
		flag_raise();
}

static void
nest_wait_body(void *job, unsigned member)
{
	tell_body(job, member);
	if (member == 0)
		nested_region(3, wait_body);
}

static void
block_wake(void)
{
	root = floor_root(false);
	flat_region(2, nest_wait_body);
}
MODEL_SCENARIO(block_wake, .setup = floor_setup, .thread = {block_wake},
	       .broken = MODEL_BROKEN("weaken fg_unpark:fence_seq_cst", "weaken fg_park:fence_seq_cst",
				      "drop count_add_locked:store_relaxed"));

static void
clocked_wait_body(void *job, unsigned member)
{
	clock_begin(member);
	wait_body(job, member);
	clock_end(member);
}

static void
nest_clocked_body(void *job, unsigned member)
{
	tell_body(job, member);
	if (member == 0)
		nested_region(3, clocked_wait_body);
}

static void
block_wake_clocked(void)
{
	root = floor_root(false);
	fg_clock_on = true;
	flat_region(2, nest_clocked_body);
	for (unsigned k = 0; k < 3; k++)
		model_assert(fg_load_relaxed(&clocked[k].own) >= 100);
}
MODEL_SCENARIO(block_wake_clocked, .setup = floor_setup, .thread = {block_wake_clocked},
	       .broken = MODEL_BROKEN("drop fg_time_add:store_relaxed", "weaken fg_unpark:fence_seq_cst"));

/* The same between members of a flat team, which are pinned to their workers. */
static void
flat_wait_body(void *job, unsigned member)
{
	tell_body(job, member);
	if (member == 0)
		flag_wait();
	if (member == 1)
		flag_raise();
}

static void
block_wake_flat(void)
{
	root = floor_root(false);
	flat_region(2, flat_wait_body);
}
MODEL_SCENARIO(block_wake_flat, .setup = floor_setup, .thread = {block_wake_flat},
	       .broken = MODEL_BROKEN("weaken fg_unpark:fence_seq_cst", "weaken fg_park:fence_seq_cst",
				      "drop inbox_put:store_relaxed"));

/* And between threads of the program, outside any region. They sleep in the kernel. */
static unsigned message;

static void
foreign_waiter(void)
{
	floor_root(false);
	flag_wait();
	model_assert(message == 42);
}

static void
foreign_waker(void)
{
	floor_root(false);
	message = 42;
	flag_raise();
}
MODEL_SCENARIO(park_foreign, .setup = floor_setup, .thread = {foreign_waiter, foreign_waker},
	       .broken = MODEL_BROKEN("weaken fg_unpark:fence_seq_cst", "weaken fg_park:fence_seq_cst",
				      "drop fg_unpark:store_release", "weaken flag_raise:store_release", "drop wake"));
MODEL_SCENARIO(park_foreign_two, .setup = floor_setup, .thread = {foreign_waiter, foreign_waker, foreign_waiter},
	       .broken = MODEL_BROKEN("weaken fg_unpark:fence_seq_cst", "weaken fg_park:fence_seq_cst"));

/* A worker that sleeps is woken to steal, finds that its own wait is over, and computes. It wakes the other worker
 * in its place. The newest sleeper is taken first. */
static struct fg_atomic_u32 thing;

static bool
thing_there(struct fg_worker *worker)
{
	(void)worker;
	return fg_load_acquire(&thing) != 0;
}

static void
until_flag(void)
{
	while (!fg_load_acquire(&flag))
		fg_carrier->pause();
}

static void
stolen_body(void *job, unsigned member)
{
	born_body(job, member);
	if (member == 1) {
		fg_store_release(&flag, 1);
		return;
	}
	fg_store_release(&thing, 1);
	fg_wake_worker(fg_load_acquire(&fg_all_workers));
	until_flag();
}

static void
turn_away_body(void *job, unsigned member)
{
	tell_body(job, member);
	if (member == 0) {
		while (fg_load_relaxed(&fg_idle.sleepers) < 2)
			fg_carrier->pause();
		nested_region(2, stolen_body);
	} else if (fg_self()->worker == fg_load_acquire(&fg_all_workers)) {
		fg_worker_wait(fg_self(), thing_there);
		until_flag();
	}
}

static void
turn_away(void)
{
	root = floor_root(false);
	flat_region(3, turn_away_body);
}

static void
three_pus(void)
{
	floor_setup();
	fg_exec_options.n_pus = 3;
}
MODEL_SCENARIO(turn_away, .setup = three_pus, .thread = {turn_away},
	       .broken = MODEL_BROKEN("drop wake", "drop wake_if_asleep:exchange_acq_rel"));

/* A thread that polls lets its unborn siblings be born. */
static void
poll_body(void *job, unsigned member)
{
	born_body(job, member);
	if (member == 2)
		fg_store_release(&flag, 1);
	while (!fg_load_acquire(&flag)) {
		fg_carrier->pause();
		if (!model_broken("no yield"))
			fg_yield();
	}
}

static void
nest_poll_body(void *job, unsigned member)
{
	tell_body(job, member);
	if (member == 0)
		nested_region(3, poll_body);
}

static void
yield(void)
{
	root = floor_root(false);
	flat_region(2, nest_poll_body);
}
MODEL_SCENARIO(yield, .setup = floor_setup, .thread = {yield}, .broken = MODEL_BROKEN("seam no yield"));

/* Two threads of the program want the dock. One gets it, and the other goes without. One after the other, both may
 * get it. */
static void
own_body(void *job, unsigned member)
{
	((unsigned *)job)[member]++;
}

static void
one_root(void)
{
	struct fg_root *own = floor_root(false);
	unsigned *count = model_alloc(2 * sizeof *count);
	if (!fg_dock_acquire(&own->identity, 2, NULL))
		return;
	fg_dock_fork(&own->identity, own_body, count, NULL, NULL);
	own_body(count, 0);
	fg_dock_join(&own->identity);
	model_assert(count[0] == 1 && count[1] == 1);
}
MODEL_SCENARIO(dock_two_roots, .setup = floor_setup, .thread = {one_root, one_root},
	       .broken = MODEL_BROKEN("weaken fg_dock_acquire:cas_acquire", "drop fg_dock_acquire:cas_acquire",
				      "weaken fg_dock_join:store_release", "weaken dock_wait:store_release",
				      "weaken fg_levels_start:load_acquire"));

/* Both have nested regions on the only PU, and a member of one waits for a member of the other. The kernel thread of
 * each root carries only members of its own. It sleeps, and is woken for these. */
struct of_root {
	struct fg_root *root;
	bool waits;
};

static void
apart_body(void *job, unsigned member)
{
	const struct of_root *own = job;
	model_assert(fg_self()->worker == &own->root->worker);
	if (member == 1 && own->waits)
		flag_wait();
	if (member == 1 && !own->waits)
		flag_raise();
	model_assert(fg_self()->worker == &own->root->worker);
}

static void
apart(bool waits)
{
	struct of_root *own = model_alloc(sizeof *own);
	*own = (struct of_root){floor_root(false), waits};
	struct fg_births *births = births_new(apart_body, own);
	fg_births_publish(fg_self(), births, 2);
	if (model_broken("not several"))
		fg_store_relaxed(&fg_bubble_several, 0);
	fg_births_join(fg_self(), births);
	fg_births_leave(fg_self(), births);
}

static void
apart_waits(void)
{
	apart(true);
}

static void
apart_raises(void)
{
	apart(false);
}

static void
one_pu(void)
{
	floor_setup();
	fg_exec_options.n_pus = 1;
}
MODEL_SCENARIO(roots_apart, .setup = one_pu, .thread = {apart_waits, apart_raises},
	       .broken = MODEL_BROKEN("seam not several", "drop wake"));

/* Preemption. A tick may come at each point of the program's code. The members that spin let the others run. */
static void
tick(void)
{
	struct fg_identity *self = fg_self();
	if (self->worker->carries && !model_broken("no tick"))
		fg_worker_preempt(self);
}

static void
spin_body(void *job, unsigned member)
{
	born_body(job, member);
	if (member == 2)
		fg_store_release(&flag, 1);
	while (!fg_load_acquire(&flag)) {
		fg_carrier->pause();
		tick();
	}
}

static void
nest_spin_body(void *job, unsigned member)
{
	tell_body(job, member);
	if (member == 0) {
		fg_donor_stock(2);
		nested_region(3, spin_body);
	}
}

static void
preempt(void)
{
	root = floor_root(false);
	flat_region(2, nest_spin_body);
}
MODEL_SCENARIO(preempt, .setup = floor_setup, .thread = {preempt}, .broken = MODEL_BROKEN("seam no tick"));
