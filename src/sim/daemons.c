/* Daemons (floor: sim): the daemons of policies on the simulated machine. Each has a context of its own with a clock,
 * and is on no PU: it takes none of their time. If it sleeps, it sleeps in simulated time. */
#include "exec/thread/levels.h"
#include "sched/time_calls.h"
#include "sim/sim.h"

static void
daemon_main(void *arg)
{
	struct fg_policy *policy = arg;
	for (uint64_t due = fg_sim.clock + fg_policy_daemon_first(policy); fg_policy_daemon_period(policy);) {
		fg_sim_look_away(due);
		uint64_t began = fg_sim.clock;
		fg_policy_daemon(policy, fg_levels_top());
		due = fg_policy_daemon_next(policy, began, fg_carrier->now());
	}
}

void
fg_sim_daemons_meet(void)
{
	for (struct fg_policy *policy = fg_policies_first(); policy; policy = policy->next)
		if (policy->sched->daemon && !fg_load_relaxed(&policy->daemon.state))
			fg_store_relaxed(&policy->daemon.state, fg_sim_start_outside(daemon_main, policy));
}
