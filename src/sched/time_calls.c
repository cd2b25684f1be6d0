/* Time calls (floor: sched): see time_calls.h. */
#include "sched/time_calls.h"

#include "sched/decision.h"
#include "sched/layer.h"
#include "sched/policy.h"

#define IDLE_AFTER_NS 10000000 /* where a policy does not say */
#define PERIOD_NS 2000000      /* the same, of daemons */
#define PERIOD_LEAST_NS 100000

static struct fg_policy *
told_of_idling(struct fg_runqueue *leaf)
{
	struct fg_policy *policy = fg_policy_of(leaf);
	while (policy && !fg_policy_sched(policy)->idles)
		policy = policy->outer;
	return policy;
}

uint64_t
fg_policy_idle_after(struct fg_runqueue *leaf)
{
	const struct fg_policy *policy = told_of_idling(leaf);
	if (!policy)
		return UINT64_MAX;
	return policy->sched->idle_after ? policy->sched->idle_after : IDLE_AFTER_NS;
}

void
fg_policy_idles(struct fg_runqueue *leaf, uint64_t idle_for)
{
	struct fg_policy *policy = told_of_idling(leaf);
	if (!policy)
		return;
	fg_decision_begin(policy->sched, FG_DECIDER_idles);
	fg_layer_enter((struct fg_layer_work){policy, NULL, false});
	policy->sched->idles(policy->self, leaf, idle_for);
	fg_policy_finish(policy, leaf);
}

void
fg_policy_begun(struct fg_bubble *bubble, unsigned number, struct fg_runqueue *leaf)
{
	struct fg_policy *policy = fg_policy_of(leaf);
	while (policy && !fg_policy_sched(policy)->begun)
		policy = policy->outer;
	if (!policy)
		return;
	fg_decision_begin(policy->sched, FG_DECIDER_begun);
	fg_layer_enter((struct fg_layer_work){policy, NULL, false});
	policy->sched->begun(policy->self, bubble, number, leaf);
	fg_policy_finish(policy, leaf);
}

void
fg_policy_finished(struct fg_bubble *bubble, unsigned number, struct fg_runqueue *leaf)
{
	struct fg_policy *policy = fg_policy_of(leaf);
	while (policy && !fg_policy_sched(policy)->finished)
		policy = policy->outer;
	if (!policy)
		return;
	fg_decision_begin(policy->sched, FG_DECIDER_finished);
	fg_layer_enter((struct fg_layer_work){policy, NULL, false});
	policy->sched->finished(policy->self, bubble, number, leaf);
	fg_policy_finish(policy, leaf);
}

/* A budget belongs to no level, so the policy of the machine goes first. */
static struct fg_policy *
told_of_budgets(void)
{
	if (fg_policy_sched(&fg_policy)->expired)
		return &fg_policy;
	struct fg_policy *policy = fg_policies_first();
	while (policy && !fg_policy_sched(policy)->expired)
		policy = policy->next;
	return policy;
}

/* Entities that the policy has lost go to the machine. The tree is locked, so no layer is handed what the policy
 * puts. */
bool
fg_policy_expired(struct fg_bubble *bubble, struct fg_runqueue *top)
{
	struct fg_policy *policy = told_of_budgets();
	if (!policy)
		return false;
	fg_decision_begin(policy->sched, FG_DECIDER_expired);
	bool again = policy->sched->expired(policy->self, bubble);
	fg_policy_hand_empty(policy, top);
	return again;
}

uint64_t
fg_policy_daemon_period(const struct fg_policy *policy)
{
	const struct fgomp_sched *sched = fg_policy_sched(policy);
	if (!sched->daemon)
		return 0;
	uint64_t period = sched->period ? sched->period : PERIOD_NS;
	return period > PERIOD_LEAST_NS ? period : PERIOD_LEAST_NS;
}

uint64_t
fg_policy_daemon_first(const struct fg_policy *policy)
{
	uint64_t period = fg_policy_daemon_period(policy);
	return period < PERIOD_NS ? period : PERIOD_NS;
}

/* No call is made up for. */
uint64_t
fg_policy_daemon_next(const struct fg_policy *policy, uint64_t began, uint64_t ended)
{
	uint64_t period = fg_policy_daemon_period(policy), due = began + period;
	return due < ended ? ended + period : due;
}

void
fg_policy_daemon(struct fg_policy *policy, struct fg_runqueue *top)
{
	const struct fgomp_sched *sched = fg_policy_sched(policy);
	if (!sched->daemon || !top)
		return;
	fg_decision_begin(sched, FG_DECIDER_daemon);
	fg_layer_enter((struct fg_layer_work){policy, NULL, false});
	sched->daemon(policy->self);
	fg_policy_finish(policy, top);
}
