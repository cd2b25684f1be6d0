/* Overseer (floor: sim): it does for policies what the monitor of exec does on a live run. It tells them of slices and
 * budgets, reads counters, and brings back what was put aside for too long. It is on no PU of the simulated machine and
 * takes none of its time. But it acts at a point of that time: when no PU is behind that point any more. It exists only
 * if a policy is told of slices, wants counters, looks at the tree of regions in flight, or has put something aside. A
 * policy that holds the tree's lock may set the first budget, and may not start a thread then. Daemons are in
 * daemons.c. */
#include "exec/thread/facts.h"
#include "exec/watch/pu_counters.h"
#include "exec/thread/levels.h"
#include "exec/watch/monitor.h"
#include "exec/watch/watchdog.h"
#include "sched/policy.h"
#include "sched/slices.h"
#include "sched/world.h"
#include "sim/sim.h"

#define PERIOD_NS 2000000

#define LEAST_NS 10000

/* The time of the next counter or budget that is due. All other things are looked at once in each period. */
static uint64_t
next_look(uint64_t now)
{
	uint64_t next = fg_pu_counters_due(), left = fg_slices_left(fg_sim.n_pus);
	uint64_t period = fg_policy_redistribute_due();
	next = period < next ? period : next;
	if (left < PERIOD_NS && now + left < next)
		next = now + (left > LEAST_NS ? left : LEAST_NS);
	return next <= now || next > now + PERIOD_NS ? now + PERIOD_NS : next;
}

static void
tell_slice(struct fg_identity *self)
{
	struct fg_worker *worker = self->worker;
	if (!worker || fg_worker_carried(worker) != self)
		return;
	bool waits = fg_monitor_waits(worker);
	fg_sim.computes |= waits;
	if (fg_monitor_stays(worker, waits) && !self->crew_of)
		fg_policy_slice(self->entity.bubble, fg_levels_leaf(fg_worker_pu(worker)));
}

/* Returns false if no thread needs to be looked at while nothing happens. */
static bool
tell_slices(void)
{
	fg_sim.computes = false;
	if (fg_policies.wants & FG_WANTS_SLICE)
		fg_sim_each_that_computes(tell_slice);
	return fg_sim.computes;
}

/* The loop skips periods in which the program sleeps, which may be an hour. */
static void
oversee(void *arg)
{
	(void)arg;
	for (bool went_on = true, some = false;;) {
		uint64_t until = next_look(fg_sim.clock);
		if (!went_on && !some && fg_sim.next != UINT64_MAX && fg_sim.next > until)
			until = fg_sim.next;
		went_on = fg_sim_look_away(until);
		if (!fg_levels_top())
			continue;
		some = tell_slices();
		some |= fg_watchdog_look(fg_sim.clock, fg_sim.clock);
		fg_pu_counters_look(fg_sim.clock);
	}
}

/* If the overseer cannot be started, the policy is told nothing. */
static void
start(void)
{
	if (!fg_sim.overseen)
		fg_sim.overseen = fg_sim_start_outside(oversee, NULL);
}

void
fg_overseer_meet(void)
{
	bool wanted = fg_pu_counters_due() != UINT64_MAX;
	for (const struct fg_policy *policy = fg_policies_first(); policy; policy = policy->next)
		wanted |= policy->sched->slice || policy->sched->redistribute_period || policy->sched->tree;
	fg_world.put_aside = start;
	if (wanted)
		start();
	fg_sim_daemons_meet();
}
