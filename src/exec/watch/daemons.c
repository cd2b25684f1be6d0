/* Daemons (floor: exec): see daemons.h.
 *
 * States of a policy's daemon. A region brings it from NONE to RUNS, and so starts a thread; or from TO_END to RUNS,
 * and so keeps the thread that was left behind. The end brings it from RUNS to TO_END. The thread itself brings it from
 * TO_END to NONE, and ends. A start that fails brings it back to NONE. All other steps are compare-and-swaps. So at
 * most one thread calls the daemon of a policy. */
#include "exec/watch/daemons.h"

#include <errno.h>

#include "base/carrier.h"
#include "base/log.h"
#include "exec/body/kernel_thread.h"
#include "exec/ground/options.h"
#include "exec/thread/levels.h"
#include "platform/kernel_mask.h"
#include "platform/thread.h"
#include "sched/time_calls.h"

#define LATE_NS 1000000000

enum state { NONE, RUNS, TO_END };

/* Sleeps until that time, as long as it shall run. A policy that has failed has no daemon any more: 0, no limit. */
static void
sleep_until(struct fg_policy *policy, uint64_t due)
{
	bool has = fg_policy_daemon_period(policy) != 0;
	for (uint64_t now = fg_carrier->now(); fg_load_acquire(&policy->daemon.state) == RUNS && (!has || now < due);
	     now = fg_carrier->now())
		fg_carrier->wait(&policy->daemon.state, RUNS, has ? due - now : 0);
}

/* True: the thread must end. */
static bool
ends(struct fg_policy *policy)
{
	assert(policy->daemon.tid == fg_thread_id());
	uint32_t to_end = TO_END;
	if (!fg_cas_acq_rel(&policy->daemon.state, &to_end, NONE))
		return false;
	fg_carrier->wake(&policy->daemon.state, 1);
	return true;
}

static void
daemon_main(void *arg)
{
	struct fg_policy *policy = arg;
	policy->daemon.tid = fg_thread_id();
	uint64_t due = fg_carrier->now() + fg_policy_daemon_first(policy);
	while (!ends(policy)) {
		sleep_until(policy, due);
		if (fg_load_acquire(&policy->daemon.state) != RUNS)
			continue;
		uint64_t began = fg_carrier->now();
		fg_policy_daemon(policy, fg_levels_top());
		due = fg_policy_daemon_next(policy, began, fg_carrier->now());
	}
}

static void
start(struct fg_identity *self, struct fg_policy *policy)
{
	assert(self == fg_self() && fg_load_stable(&policy->daemon.state) != NONE &&
	       fg_lock_order_none("starts a daemon with"));
	int saved = errno;
	bool inside = fg_step_out(self);
	uint64_t mask = fg_mask_now();
	fg_mask_set(FG_MASK_ALL);
	if (fg_carrier->start(daemon_main, policy, "fg-daemon"))
		fg_store_release(&policy->daemon.state, NONE); /* the next region tries again */
	fg_mask_set(mask);
	fg_step_in(self, inside);
	errno = saved;
}

void
fg_daemons_want(struct fg_identity *self)
{
	for (struct fg_policy *policy = fg_policies_first(); policy; policy = policy->next) {
		uint32_t state = fg_load_acquire(&policy->daemon.state);
		if (!policy->sched->daemon || state == RUNS || !fg_exec_options.monitor)
			continue;
		if (fg_cas_acq_rel(&policy->daemon.state, &state, RUNS) && state == NONE)
			start(self, policy);
	}
}

static bool
wait_for_end(struct fg_policy *policy, uint64_t until)
{
	for (uint64_t now = fg_carrier->now(); now < until; now = fg_carrier->now()) {
		if (fg_load_acquire(&policy->daemon.state) == NONE)
			return true;
		fg_carrier->wait(&policy->daemon.state, TO_END, until - now);
	}
	return fg_load_acquire(&policy->daemon.state) == NONE;
}

void
fg_daemons_end(void)
{
	assert(fg_lock_order_none("ends daemons with"));
	for (struct fg_policy *policy = fg_policies_first(); policy; policy = policy->next) {
		uint32_t runs = RUNS;
		if (!fg_cas_acq_rel(&policy->daemon.state, &runs, TO_END))
			continue;
		fg_carrier->wake(&policy->daemon.state, 1);
		if (wait_for_end(policy, fg_carrier->now() + LATE_NS))
			fg_kernel_thread_gone(policy->daemon.tid, FG_GONE_STEPS);
		else
			fg_error("the daemon of bubble scheduler %s has not returned for %g s; its thread is left "
				 "behind, and ends when the daemon returns",
				 policy->sched->name, LATE_NS * 1e-9);
	}
}

void
fg_daemons_after_fork(void)
{
	for (struct fg_policy *policy = fg_policies_first(); policy; policy = policy->next)
		fg_store_relaxed(&policy->daemon.state, NONE);
}
