/* Overseer: does for policies what the monitor does on a live run (exec/watch/monitor.h): calls their daemons, tells them of slices, reads counters,
 * brings back what was put aside for too long (floor: sim). It is on no PU of the simulated machine and takes none of its time, but it acts
 * at a point of it: when no PU is behind that any more. It is there only if a policy has a daemon, is told of slices, wants counters, or has
 * put something aside. */
#include "exec/watch/pu_counters.h"
#include "exec/thread/levels.h"
#include "exec/watch/monitor.h"
#include "exec/watch/watchdog.h"
#include "sched/policy.h"
#include "sched/world.h"
#include "sim/sim.h"

#define PERIOD_NS 2000000

static bool started;

/* Whatever is due first; what else there may be to see is looked for in each period. */
static uint64_t
next_look(uint64_t now)
{
	uint64_t next = fg_pu_counters_due();
	for (const struct fg_policy *policy = fg_policies; policy; policy = policy->next)
		if (policy->sched->daemon && policy->daemon_due < next)
			next = policy->daemon_due;
	return next <= now || next > now + PERIOD_NS ? now + PERIOD_NS : next;
}

static bool computes; /* somebody, while others wait for the PU */

static void
tell_slice(struct fg_identity *self)
{
	struct fg_worker *worker = self->worker;
	if (!worker || fg_load_relaxed(&worker->current) != self)
		return;
	bool waits = fg_monitor_waits(worker);
	computes |= waits;
	if (fg_monitor_stays(worker, waits))
		fg_policy_slice(self->entity.bubble, fg_worker_leaf(worker));
}

/* False: none needs to be looked at while nothing happens. */
static bool
tell_slices(void)
{
	computes = false;
	if (fg_policy_wants & FG_WANTS_SLICE)
		fg_sim_each_that_computes(tell_slice);
	return computes;
}

/* A program that sleeps for an hour is not looked at in each period. */
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
		some |= fg_watchdog_look(fg_sim.clock);
		fg_pu_counters_look(fg_sim.clock);
	}
}

/* Without it the policy is told nothing. */
static void
start(void)
{
	if (!started)
		started = fg_sim_start_outside(oversee);
}

void
fg_overseer_meet(void)
{
	bool wanted = fg_pu_counters_due() != UINT64_MAX;
	for (const struct fg_policy *policy = fg_policies; policy; policy = policy->next)
		wanted |= policy->sched->daemon || policy->sched->slice;
	fg_world.put_aside = start;
	if (wanted)
		start();
}
