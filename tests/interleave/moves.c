/* Members of flat teams that policies send: to another crew, with their worker, and while they have met a nested
 * region.
 *
 * Constants: exec/loop/park.c KERNEL_SPIN_NS=0
 * Constants: exec/pool/workers.c FIRST=1
 * With: floor
 */
#include "exec/flat/dock.h"
#include "exec/ground/options.h"
#include "exec/loop/loop.h"
#include "exec/move/move.h"
#include "exec/thread/levels.h"
#include "forestgomp/sched.h"
#include "interleave/floor.h"
#include "interleave/model.h"
#include "interleave/regions.h"

/* Member 2 goes from the crew of worker 0 to that of worker 1, which may be late: it may see the push before it begins
 * the phase that the member has been through. Each phase must see each member once. */
#define PHASES 3
static unsigned been[PHASES][3];

static void
transfer_body(void *job, unsigned member)
{
	(void)job;
	if (member == 0) {
		model_assert(fg_move(&root->members[false][2]->entity, fg_levels_leaf(1)));
		fg_worker_yield(fg_self()); /* member 2 arrives first, so it goes after this phase */
	}
	for (unsigned phase = 0; phase < PHASES; phase++) {
		model_assert(been[phase][member]++ == 0);
		fg_dock_barrier(fg_self());
		for (unsigned k = 0; k < 3; k++)
			model_assert(been[phase][k] == 1);
		model_assert(member != 2 || fg_self()->worker->slot == 1);
	}
	seen[member]++;
}

static void
transfer(void)
{
	root = floor_root(false);
	flat_region(3, transfer_body);
}
MODEL_SCENARIO(transfer, .setup = floor_setup, .thread = {transfer}, .max_steps = 4000,
	       .broken = MODEL_BROKEN("drop fg_transfer_part:store_relaxed", "weaken push:cas_release",
				      "weaken fg_transfer_join:exchange_acquire",
				      "weaken fg_dock_barrier:store_release", "weaken fg_dock_crossed:load_acquire"));

/* The last member of worker 1 waits there for the next fork. It was transferred there, and the next layout deals it to
 * worker 0. */
static void
transferred(void)
{
	root = floor_root(false);
	flat_region(3, transfer_body);
	flat_region(4, tell_body);
	for (unsigned phase = 0; phase < PHASES; phase++)
		for (unsigned k = 0; k < 3; k++)
			been[phase][k] = 0;
	flat_region(3, transfer_body);
}
MODEL_SCENARIO(transfer_layouts, .setup = floor_setup, .thread = {transferred}, .max_steps = 6000,
	       .broken = MODEL_BROKEN("weaken push:cas_release", "weaken dock_wait:store_release"));

/* Workers 1 and 2 exchange their seats while they run, wait or sleep. The primary thread does not arrive before both
 * have done so. */
static struct fg_atomic_u32 entered;

static void
setup_four(void)
{
	floor_setup();
	fg_exec_options.n_pus = 4;
}

static void
exchange_all(void)
{
	struct fg_worker *one = fg_slot(root->dock.slot, 1), *two = fg_slot(root->dock.slot, 2);
	while (fg_load_acquire(&entered) != 2)
		fg_carrier->pause();
	struct fg_runqueue *first = fg_load_relaxed(&one->seat), *second = fg_load_relaxed(&two->seat);
	model_assert(first != second && fg_move(&one->home->entity, second));
	model_assert(fg_load_relaxed(&one->seat) == second && fg_load_relaxed(&two->seat) == first);
	while (fg_worker_leaf(one) != second || fg_worker_leaf(two) != first)
		fg_carrier->pause();
}

static void
exchange_body(void *job, unsigned member)
{
	(void)job;
	if (member == 0)
		exchange_all();
	else
		fg_add_acq_rel(&entered, 1);
	fg_dock_barrier(fg_self());
	seen[member]++;
}

static void
exchange(void)
{
	root = floor_root(false);
	flat_region(3, exchange_body);
}
MODEL_SCENARIO(exchange, .setup = setup_four, .thread = {exchange}, .max_steps = 4000,
	       .broken = MODEL_BROKEN("drop move_locked:or_acq_rel", "weaken move_locked:or_acq_rel",
				      "weaken fg_seat_change:and_acq_rel", "drop wake"));

/* Member 1 has met a nested region. It is sent to the root's PU, joins there, and comes home before it arrives. */
static void
loosen_body(void *job, unsigned member)
{
	struct fg_identity *self = fg_self();
	if (member == 1) {
		static struct fg_bubble flat;
		struct fg_births *births = births_new(born_body, born);
		flat.origin = root;
		births->bubble.entity.bubble = &flat;
		births->bubble.depth = 1;
		fg_births_publish(self, births, 2);
		model_assert(!self->pinned);
		model_assert(fgomp_thread_send(&self->entity, fg_levels_leaf(0)));
		fg_worker_yield(self);
		if (model_broken("not fastened"))
			births->loosens = false;
		born_body(born, 0);
		fg_births_join(self, births);
		fg_births_leave(self, births);
		model_assert(born[0] == 1 && born[1] == 1);
		model_assert(self->pinned == self->crew_of && self->worker == self->crew_of);
	}
	fg_dock_barrier(self);
	tell_body(job, member);
}

static void
loosens(void)
{
	root = floor_root(false);
	flat_region(2, loosen_body);
}
MODEL_SCENARIO(loosen, .setup = floor_setup, .thread = {loosens}, .max_steps = 4000,
	       .broken = MODEL_BROKEN("fault not fastened", "weaken left_after:sub_acq_rel",
				      "weaken fg_spinlock_unlock:exchange_acq_rel"));
