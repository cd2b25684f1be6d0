/* Redistribution: policies are asked to rearrange what is in flight (floor: sched). The callers hold no lock, and are
 * in no handler.
 *
 * Hysteresis. Each occasion has a least time between two calls, its gap. A call helps if it moves something, and if the
 * strain is less at the next call. The policy says what its strain is; else that is the number of idle PUs. Without
 * strain nothing is judged. A redistribution that did not help is tried half as often: its gap is doubled. A call that
 * moves nothing only looks, so its gap stays below LOOK_NS. One that moves threads in vain may do harm: its gap grows
 * up to VAIN_NS, and after VAIN_CALLS such calls in a row the user is told. */
#include "base/log.h"
#include "sched/decision.h"
#include "sched/haste.h"
#include "sched/layer.h"
#include "sched/layer_give.h"
#include "sched/policy.h"

#define GAP_NS UINT64_C(20000)
#define LOOK_NS UINT64_C(1000000)
#define VAIN_NS UINT64_C(1000000000)
#define VAIN_CALLS 8

static const char *const reasons[FGOMP_OCCASIONS] = {
	[FGOMP_TEAM_BEGAN] = "a team began while PUs were idle",
	[FGOMP_TEAM_ENDED] = "a team has ended",
	[FGOMP_PU_IDLE] = "a PU is idle",
	[FGOMP_MACHINE_CHANGED] = "the machine changed",
	[FGOMP_HINTS_CHANGED] = "loads or areas changed",
	[FGOMP_COUNTERS_HIGH] = "a counter is above its threshold",
	[FGOMP_PERIOD_OVER] = "the period is over",
};

__attribute__((visibility("default"))) unsigned
fgomp_queue_idle_pus(const struct fg_runqueue *queue)
{
	const struct fg_runqueue_list *below = fg_runqueue_below((struct fg_runqueue *)queue);
	if (!below)
		return fg_load_relaxed(&queue->idle) && fg_holder_is_empty(&queue->holder);
	unsigned idle = 0;
	for (unsigned i = 0; i < below->n; i++)
		idle += fgomp_queue_idle_pus(below->queue[i]);
	return idle;
}

__attribute__((visibility("default"))) void
fgomp_queue_promise(struct fg_runqueue *queue)
{
	fg_runqueue_mark(queue, 0);
}

static struct fg_runqueue *
top_of(struct fg_runqueue *level)
{
	for (struct fg_runqueue *up; (up = fg_runqueue_parent(level));)
		level = up;
	return level;
}

static uint64_t
longer(uint64_t gap, uint64_t most)
{
	return gap == 0 ? GAP_NS : 2 * gap < most ? 2 * gap : gap > most ? gap : most;
}

/* What a redistribution should make less. */
static double
strain_of(const struct fg_policy *policy, struct fg_runqueue *top)
{
	const struct fgomp_sched *sched = policy->sched;
	return sched->strain ? sched->strain(policy->self, top) : fgomp_queue_idle_pus(top);
}

/* The last call that moved something is judged by the strain now. */
static void
judge(struct fg_policy *policy, double strain)
{
	struct fg_redistribution *r = &policy->redistribution;
	if (!(r->before > 0))
		return;
	bool helped = strain < r->before;
	r->before = 0;
	r->gap[r->last] = helped ? GAP_NS : longer(r->gap[r->last], VAIN_NS);
	r->in_vain = helped ? 0 : r->in_vain + 1;
	if (r->in_vain == VAIN_CALLS)
		fg_error(
			"bubble scheduler %s has redistributed threads %u times in a row, and %s afterwards; each time "
			"that it does not help, it is asked half as often",
			policy->sched->name, r->in_vain,
			policy->sched->strain ? "its strain was no less" : "no fewer PUs were idle");
}

static void
ask(struct fg_policy *policy, enum fgomp_occasion why, struct fg_runqueue *level, uint64_t now)
{
	struct fg_redistribution *r = &policy->redistribution;
	if (policy->sched->occasions && !(policy->sched->occasions >> why & 1))
		return;
	if (now < fg_load_relaxed(&r->due[why]) || fg_load_relaxed(&r->asked))
		return;
	/* Where all PUs work, small teams that end would lock the tree again and again for nothing. */
	if ((why == FGOMP_TEAM_ENDED && fgomp_queue_idle_pus(top_of(level)) == 0) || fg_exchange_acquire(&r->asked, 1))
		return;
	double strain = strain_of(policy, top_of(level));
	judge(policy, strain);
	if (now >= fg_load_relaxed(&r->due[why])) {
		fg_decision_begin(policy->sched, FG_DECIDER_redistribute);
		fg_reason(reasons[why]);
		fg_layer_enter((struct fg_layer_work){policy, NULL, false});
		bool moved = policy->sched->redistribute(policy->self, why, level);
		fg_policy_hand_empty(policy, level);
		fg_layer_leave();
		r->last = why;
		r->before = moved ? strain : 0;
		if (!moved)
			r->gap[why] = longer(r->gap[why], LOOK_NS);
		fg_store_relaxed(&r->due[why], now + (r->gap[why] ? r->gap[why] : GAP_NS));
	}
	fg_store_release(&r->asked, 0);
}

/* A layer that has ended has no say. */
static bool
has_period(const struct fg_policy *policy)
{
	const struct fgomp_sched *sched = policy->sched;
	return fg_policy_redistributes(policy) && sched->redistribute_period && !fg_load_relaxed(&policy->failed) &&
	       !fg_load_relaxed(&policy->asleep);
}

void
fg_policy_redistribute(enum fgomp_occasion why, struct fg_runqueue *level)
{
	if ((why == FGOMP_TEAM_BEGAN || why == FGOMP_TEAM_ENDED) && fg_haste_now())
		return;
	uint64_t now = fgomp_sched_now();
	for (struct fg_policy *policy = fg_policy_of(level); policy; policy = policy->outer)
		if (fg_policy_redistributes(policy) && !fg_load_relaxed(&policy->failed))
			ask(policy, why, level, now);
}

uint64_t
fg_policy_redistribute_due(void)
{
	uint64_t due = UINT64_MAX;
	for (const struct fg_policy *policy = fg_policies_first(); policy; policy = policy->next)
		if (has_period(policy) && policy->redistribution.period_due < due)
			due = policy->redistribution.period_due;
	return due;
}

void
fg_policy_redistribute_periods(uint64_t now, struct fg_runqueue *top)
{
	for (struct fg_policy *policy = fg_policies_first(); policy; policy = policy->next) {
		if (!has_period(policy) || now < policy->redistribution.period_due)
			continue;
		policy->redistribution.period_due = now + policy->sched->redistribute_period;
		ask(policy, FGOMP_PERIOD_OVER, top, now);
	}
}

void
fg_policy_redistribute_after_fork(void)
{
	for (struct fg_policy *policy = fg_policies_first(); policy; policy = policy->next)
		fg_store_relaxed(&policy->redistribution.asked, 0);
}
