/* Work (floor: sim): what the program says that it computes. A thread that a policy has sent or stopped leaves its PU
 * in between, and one that others wait for does after its slice: as on a live run, where a signal preempts it. The
 * second happens only under policies that keep the tree of regions in flight. Under all others, given work is never
 * preempted. */
#include "exec/donor/donor.h"
#include "exec/ground/options.h"
#include "exec/loop/loop.h"
#include "exec/thread/facts.h"
#include "sched/in_force.h"
#include "sim/actor.h"
#include "sim/stopwatch.h"

#define STEP_NS 20000

/* The PU's worker has switched since the last step. */
static bool
is_new_here(struct fg_sim_pu *pu, struct fg_identity *self)
{
	uint32_t progress = fg_worker_progress(self->worker);
	if (pu->worker == self->worker && pu->progress == progress)
		return false;
	pu->worker = self->worker;
	pu->progress = progress;
	pu->slice_began = fg_sim.clock;
	return true;
}

static bool
must_leave(struct fg_identity *self, uint64_t step)
{
	if (fg_load_relaxed(&self->entity.sent) != NULL)
		return true;
	struct fg_sim_pu *pu = &fg_sim.pus[fg_sim.pu];
	uint64_t slice = fg_exec_options.slice_ns;
	if (is_new_here(pu, self)) {
		pu->slice_began -= step;
		return false;
	}
	return slice && fg_sim.clock - pu->slice_began > slice && fg_worker_others_wait(self->worker);
}

/* No spawner makes donors here, and without one no member can be born. No signal is involved, so the thread's mask is
 * as it should be. */
static void
leave(struct fg_identity *self)
{
	fg_donor_reserve(self);
	fg_worker_yield(self);
}

/* In this time the PU does not look at the others. */
static void
work_step(uint64_t ns)
{
	fg_stopwatch_stop();
	fg_sim.busy = true;
	fg_sim_locate();
	fg_sim_lap(false);
	fg_sim_compute(fg_actor_slowed(ns), fg_actor_slowed(ns));
	fg_sim_let_others();
	fg_stopwatch_start();
	fg_sim.busy = false;
}

void
fg_sim_work(uint64_t ns)
{
	bool in_steps = fg_policies_want_now() & FG_WANTS_NOTES;
	do {
		struct fg_identity *self = fg_self();
		uint64_t step = in_steps && ns > STEP_NS ? STEP_NS : ns;
		work_step(step);
		ns -= step;
		if (!in_steps || !self || !self->worker || fg_own_load_relaxed(&self->in_runtime))
			continue;
		fg_enter(self);
		if (must_leave(self, step)) {
			fg_sim.pus[fg_sim.pu].worker = NULL;
			leave(self);
		}
		fg_leave(self);
	} while (ns);
}

void
fg_sim_system(uint64_t ns)
{
	fg_stopwatch_stop();
	fg_sim.busy = true;
	fg_sim_lap(false);
	fg_sim_spend(FG_SPENT_SYSTEM, ns);
	fg_sim_let_others();
	fg_stopwatch_start();
	fg_sim.busy = false;
}
