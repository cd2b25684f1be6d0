/* Policies at work: the calls of their functions (floor: sched). */
#include "sched/policy.h"

#include <stdlib.h>

#include "base/log.h"
#include "platform/float.h"
#include "sched/decision.h"
#include "sched/default.h"
#include "sched/layer_give.h"
#include "sched/steal.h"
#include "sched/world.h"

unsigned
fg_sched_wants(const struct fgomp_sched *sched)
{
	return (sched->idle ? FG_WANTS_IDLE : 0) | (sched->met ? FG_WANTS_MET : 0) |
	       (sched->woken ? FG_WANTS_WOKEN : 0) | (sched->blocked ? FG_WANTS_BLOCKED : 0) |
	       (sched->ended ? FG_WANTS_ENDED : 0) | (sched->slice ? FG_WANTS_SLICE : 0) |
	       (sched->changed ? FG_WANTS_CHANGED : 0) | (sched->areas ? FG_WANTS_AREAS : 0) |
	       (sched->counters ? FG_WANTS_COUNTERS : 0) |
	       (sched->born && sched != &fg_sched_default ? FG_WANTS_BORN : 0) /* home.c */ |
	       (sched->tree || sched->expired || sched->begun || sched->finished ? FG_WANTS_TREE : 0) |
	       (sched->expired ? FG_WANTS_EXPIRED : 0) | (sched->begun ? FG_WANTS_BEGUN : 0) |
	       (sched->finished ? FG_WANTS_FINISHED : 0) | (sched->idles ? FG_WANTS_IDLES : 0) |
	       (sched->daemon ? FG_WANTS_DAEMON : 0);
}

bool
fg_policy_finish(struct fg_policy *policy, struct fg_runqueue *queue)
{
	bool good = fg_policy_hand_empty(policy, queue);
	fg_layer_leave();
	return good;
}

/* A team of which data are known goes to a policy that looks at data, if one looks after this part of the machine. */
static struct fg_policy *
policy_for(const struct fg_bubble *bubble, const struct fg_runqueue *range)
{
	struct fg_policy *policy = fg_policy_of(range), *around = policy;
	while (bubble->areas && around && !fg_policy_sched(around)->areas)
		around = around->outer;
	return bubble->areas && around ? around : policy;
}

struct fg_runqueue *
fg_policy_born(struct fg_bubble *bubble, struct fg_runqueue *range, struct fg_runqueue *leaf)
{
	struct fg_policy *policy = policy_for(bubble, range);
	const struct fgomp_sched *sched = fg_policy_sched(policy);
	if (!sched->born)
		return leaf;
	fg_decision_begin(sched, FG_DECIDER_born);
	fg_decision_took(&bubble->entity, FG_PLACE_NOWHERE);
	fg_policy_hand_take(&bubble->entity);
	fg_layer_enter((struct fg_layer_work){policy, leaf, false});
	struct fg_float program = fg_float_put_aside();
	struct fg_runqueue *queue = sched->born(policy->self, bubble, range, leaf);
	fg_float_take_back(program);
	if (queue && (!fg_policy_hand_put(&bubble->entity) || fg_layer_keep(&bubble->entity, queue)))
		queue = NULL; /* the policy has put the bubble itself, too; or a layer distributes it */
	if (queue)
		fg_decision_placed(&bubble->entity, FG_PLACE_NOWHERE, fg_place_of(queue));
	fg_policy_finish(policy, leaf);
	return queue;
}

/* Until a policy is chosen, idle PUs steal as `default` does. */
static const struct fgomp_sched *
thief_of(const struct fg_policy *policy)
{
	const struct fgomp_sched *sched = fg_policy_sched(policy);
	return sched->idle || sched != &fg_sched_unchosen ? sched : &fg_sched_default;
}

bool
fg_policy_idle(struct fg_runqueue *leaf, unsigned turn, struct fg_claim *claim)
{
	/* A policy moves entities that it finds, also those that this worker must not take now. */
	if (claim->only && fg_load_relaxed(&fg_bubble_origins.several)) {
		fg_claim_clear(claim);
		fg_decision_begin(&fg_sched_default, FG_DECIDER_idle);
		return fg_steal_idle(NULL, leaf, turn, claim);
	}
	for (struct fg_policy *policy = fg_policy_of(leaf); policy; policy = policy->outer) {
		const struct fgomp_sched *sched = thief_of(policy);
		if (!sched->idle)
			continue;
		fg_claim_clear(claim);
		fg_decision_begin(sched, FG_DECIDER_idle);
		struct fg_float program = fg_float_put_aside();
		sched->idle(policy->self, leaf, turn, claim);
		fg_float_take_back(program);
		fg_policy_hand_empty(policy, leaf);
		if (claim->bubble || claim->thread)
			return true;
	}
	return false;
}

static bool
all_placed(struct fg_bubble *team)
{
	bool placed = team->born == team->size;
	for (unsigned k = 0; placed && k < team->size; k++)
		placed = fg_load_relaxed(&team->members[k].entity.holder) != NULL;
	return placed;
}

bool
fg_policy_place(struct fg_bubble *team, struct fg_runqueue *top)
{
	struct fg_policy *policy = fg_policy_of(top);
	const struct fgomp_sched *sched = fg_policy_sched(policy);
	fg_decision_begin(sched, FG_DECIDER_place);
	fg_decision_took(&team->entity, FG_PLACE_NOWHERE);
	fg_policy_hand_take(&team->entity);
	fg_layer_enter((struct fg_layer_work){policy, NULL, true});
	if (sched->place)
		sched->place(policy->self, team, top);
	else
		fg_default_place(policy->self, team, top);
	return fg_policy_finish(policy, top) && all_placed(team);
}

struct fg_runqueue *
fg_policy_woken(struct fg_entity *thread, struct fg_runqueue *home, struct fg_runqueue *near)
{
	struct fg_policy *policy = fg_policy_of(near);
	const struct fgomp_sched *sched = fg_policy_sched(policy);
	if (!sched->woken)
		return home;
	fg_decision_begin(sched, FG_DECIDER_woken);
	struct fg_runqueue *queue = sched->woken(policy->self, thread, near);
	if (!queue)
		return home;
	fg_decision_placed(thread, fg_place_of(home), fg_place_of(queue));
	return queue;
}

/* The hand is emptied without the lock: the entities left in it lie on the leaf then. */
bool
fg_policy_met_slow(struct fg_runqueue *queue, struct fg_runqueue *leaf, const struct fg_claim *claim)
{
	struct fg_policy *policy = fg_policy_of(queue);
	const struct fgomp_sched *sched = fg_policy_sched(policy);
	if (!sched->met || queue == leaf || fg_load_relaxed(&queue->holder.n_unborn) == 0)
		return false;
	bool moved = false;
	fg_decision_begin(sched, FG_DECIDER_met);
	fg_layer_enter((struct fg_layer_work){policy, NULL, false});
	fg_spinlock_lock(&queue->lock);
	struct fg_entity *newest = queue->holder.unborn.next;
	if (newest != &queue->holder.unborn && newest->kind == FG_ENTITY_BUBBLE && fg_claim_suits_locked(claim, newest))
		moved = sched->met(policy->self, fg_entity_bubble(newest), leaf);
	fg_world_unlock(queue);
	fg_policy_finish(policy, leaf);
	return moved;
}

void
fg_policy_met_in_vain(struct fg_runqueue *queue, unsigned times)
{
	struct fg_policy *policy = fg_policy_of(queue);
	if (fg_exchange_acq_rel(&policy->failed, 1) == 0)
		fg_error("bubble scheduler %s has told a PU %u times in one search that it has moved the bubble which "
			 "the PU had met, and the PU met one again; the PU takes what it meets now, and the scheduler "
			 "default does its work from now on",
			 policy->sched->name, times);
}

void
fg_policy_blocked(struct fg_entity *thread, struct fg_runqueue *leaf)
{
	struct fg_policy *policy = fg_policy_of(leaf);
	const struct fgomp_sched *sched = fg_policy_sched(policy);
	if (!sched->blocked)
		return;
	fg_decision_begin(sched, FG_DECIDER_blocked);
	fg_layer_enter((struct fg_layer_work){policy, NULL, false});
	sched->blocked(policy->self, thread, leaf);
	fg_policy_finish(policy, leaf);
}

void
fg_policy_ended(struct fg_bubble *bubble, struct fg_runqueue *leaf)
{
	struct fg_policy *policy = fg_policy_of(leaf);
	const struct fgomp_sched *sched = fg_policy_sched(policy);
	if (!sched->ended)
		return;
	fg_decision_begin(sched, FG_DECIDER_ended);
	fg_layer_enter((struct fg_layer_work){policy, NULL, false});
	sched->ended(policy->self, bubble, leaf);
	fg_policy_finish(policy, leaf);
}

void
fg_policy_slice(struct fg_bubble *bubble, struct fg_runqueue *leaf)
{
	struct fg_policy *policy = fg_policy_of(leaf);
	const struct fgomp_sched *sched = fg_policy_sched(policy);
	if (!sched->slice || !bubble)
		return;
	fg_decision_begin(sched, FG_DECIDER_slice);
	fg_layer_enter((struct fg_layer_work){policy, NULL, false});
	sched->slice(policy->self, bubble, leaf);
	fg_policy_finish(policy, leaf);
}

static void
tell_change(struct fg_policy *policy, enum fgomp_change change, struct fg_runqueue *level)
{
	const struct fgomp_sched *sched = fg_policy_sched(policy);
	fg_decision_begin(sched, FG_DECIDER_changed);
	fg_layer_enter((struct fg_layer_work){policy, NULL, false});
	sched->changed(policy->self, change, level);
	fg_policy_finish(policy, level);
}

void
fg_policy_changed(enum fgomp_change change, struct fg_runqueue *level)
{
	struct fg_policy *policy = fg_policy_of(level);
	while (policy && !fg_policy_sched(policy)->changed)
		policy = policy->outer;
	if (policy)
		tell_change(policy, change, level);
	if (fg_policies.wants & FG_WANTS_REDISTRIBUTE)
		fg_policy_redistribute(FGOMP_HINTS_CHANGED, level);
}

void
fg_policy_machine_changed(struct fg_runqueue *leaf)
{
	for (struct fg_policy *policy = fg_policy_of(leaf); policy; policy = policy->outer)
		if (fg_policy_sched(policy)->changed)
			tell_change(policy, FGOMP_CHANGE_MACHINE, leaf);
}

void
fg_policy_counted(double events, struct fg_runqueue *leaf)
{
	for (struct fg_policy *policy = fg_policy_of(leaf); policy; policy = policy->outer) {
		const struct fgomp_sched *sched = fg_policy_sched(policy);
		if (sched->counters && sched->changed && events > policy->counters.threshold)
			tell_change(policy, FGOMP_CHANGE_COUNTERS, leaf);
		if (sched->counters && fg_policy_redistributes(policy) && events > policy->counters.threshold)
			fg_policy_redistribute(FGOMP_COUNTERS_HIGH, leaf);
	}
}
