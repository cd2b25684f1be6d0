/* Here (floor: sim; called wherever the simulation comes in): on which PU the running actor is, and the time that it
 * has computed. */
#include "base/atomic_charged.h"
#include "exec/thread/worker_parts.h"
#include "exec/thread/worker_state.h"
#include "sim/actor.h"
#include "sim/rights.h"
#include "sim/stopwatch.h"

/* This load is not charged. */
static const struct fg_runqueue *
raw_leaf(const struct fg_worker *worker)
{
	return atomic_load_explicit(&worker->leaf.v, memory_order_relaxed);
}

bool
fg_sim_locate(void)
{
	struct fg_identity *self = fg_self();
	if (!self || !self->worker)
		return false;
	struct fg_worker *worker = self->worker;
	const struct fg_runqueue *leaf = raw_leaf(worker);
	if (leaf)
		fg_rights_of(leaf->first_pu);
	struct fg_sim_pu *pu = &fg_sim.pus[fg_sim.pu];
	if (fg_actor->core != pu->core)
		fg_actor_awake(fg_actor, pu->core);
	if (fg_parts(worker)->statistics.steals != fg_actor->steals) {
		fg_actor->steals = fg_parts(worker)->statistics.steals;
		pu->steals++;
		fg_sim.distance_steals[fg_sim_distance(pu->taken_from, fg_sim.pu)]++;
	}
	if (fg_actor->last != self) {
		if (fg_actor->last) {
			pu->switches++;
			fg_sim_spend(FG_SPENT_SYSTEM, (uint64_t)fg_sim.model.thread_switch);
		}
		fg_actor->last = self;
		fg_trail_note(self);
	}
	return true;
}

/* When the program tells that it goes through memory, the call charges all that this costs. But the timed stretches of
 * computing also include the accesses, as fast as the real machine makes them. So the next stretches are shortened by
 * the cost of local accesses. The simulated machine's memory may be slower than the real one's: so a rest is dropped
 * once a good part has been taken off. */
static uint64_t
beyond(uint64_t ns)
{
	struct fg_sim_pu *pu = &fg_sim.pus[fg_sim.pu];
	uint64_t off = ns < pu->charged_ahead ? ns : pu->charged_ahead;
	pu->charged_ahead -= off;
	pu->taken_off += off;
	return ns - off;
}

/* A timed stretch. The program's own part comes first where memory takes some of it off. */
static void
compute(uint64_t ns)
{
	uint64_t left = beyond(ns), off = ns - left, program = fg_stopwatch.program;
	program = program > off ? program - off : 0;
	uint64_t whole = fg_actor_slowed(left);
	program = fg_actor_slowed(program);
	fg_sim_compute(whole, program < whole ? program : whole);
}

void
fg_sim_lap(bool looks)
{
	if (fg_sim.given)
		return;
	uint64_t ns = fg_stopwatch_lap();
	fg_sim.spins = fg_sim.spins && looks && ns <= LOOK_NS;
	if (fg_sim.spins)
		fg_sim.clock += ns;
	else
		compute(ns);
}
