/* Births: the members of nested regions are born and stolen, and run although others spin on their PU.
 *
 * Constants: exec/loop/park.c KERNEL_SPIN_NS=0
 * With: floor
 */
#include "exec/donor/donor.h"
#include "exec/ground/options.h"
#include "exec/loop/loop.h"
#include "exec/nested/birth.h"
#include "interleave/floor.h"
#include "interleave/model.h"
#include "interleave/regions.h"

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
				      "weaken fg_spinlock_unlock:exchange_acq_rel", "drop fg_inbox_put:store_relaxed"));

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

static struct fg_atomic_u32 flag;

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
	fg_wake_worker(fg_load_acquire(&fg_all_workers.first));
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
	} else if (fg_self()->worker == fg_load_acquire(&fg_all_workers.first)) {
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
MODEL_SCENARIO(yield, .setup = floor_setup, .thread = {yield}, .broken = MODEL_BROKEN("fault no yield"));

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
MODEL_SCENARIO(preempt, .setup = floor_setup, .thread = {preempt}, .broken = MODEL_BROKEN("fault no tick"));
