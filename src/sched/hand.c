/* The hand of a policy: entities that it has taken and owes a holder (floor: sched). An entity is never lost.
 *
 * A function of a policy runs to its end on one identity, so its hand is a thread-local list. At its end the hand must
 * be empty. The entities left are put where the PU finds them, and from then on `default` does the work of that policy.
 * An entity that is not in the hand cannot be put. */
#include "base/log.h"
#include "sched/decision.h"
#include "sched/haste.h"
#include "sched/policy.h"

/* The number of this thread's hand; an entity's `transit` names the hand that it is in. */
static uint32_t
mine(void)
{
	if (fg_sched_thread.hand == 0)
		fg_sched_thread.hand = fg_add_relaxed(&fg_policies.hands, 1) + 1;
	return fg_sched_thread.hand;
}

bool
fg_policy_hand_has(const struct fg_entity *entity)
{
	return fg_load_relaxed(&entity->transit) == mine();
}

void
fg_policy_hand_take(struct fg_entity *entity)
{
	fg_sched_thread.n_in_hand++;
	entity->prev = NULL;
	entity->next = fg_sched_thread.in_hand;
	if (fg_sched_thread.in_hand)
		fg_sched_thread.in_hand->prev = entity;
	fg_sched_thread.in_hand = entity;
	fg_store_relaxed(&entity->transit, mine());
}

bool
fg_policy_hand_put(struct fg_entity *entity)
{
	if (!fg_policy_hand_has(entity)) {
		fg_sched_thread.strange++;
		return false;
	}
	*(entity->prev ? &entity->prev->next : &fg_sched_thread.in_hand) = entity->next;
	if (entity->next)
		entity->next->prev = entity->prev;
	fg_store_release(&entity->transit, 0); /* a burst bubble may be gathered by others: api.c */
	fg_sched_thread.n_in_hand--;
	return true;
}

void
fg_policy_hand_burst(struct fg_bubble *bubble, struct fg_entity *const *free, unsigned n)
{
	fg_policy_hand_put(&bubble->entity);
	for (unsigned i = 0; i < n; i++) {
		fg_decision_took(free[i], bubble->entity.from);
		fg_policy_hand_take(free[i]);
	}
}

static void
complain(const struct fg_policy *policy)
{
	if (fg_sched_thread.n_in_hand)
		fg_error("bubble scheduler %s has lost %u of the entities it took, each of which must be put on a "
			 "runqueue or into a bubble; they are run all the same, and the scheduler default does its "
			 "work from now on",
			 policy->sched->name, fg_sched_thread.n_in_hand);
	else
		fg_error("bubble scheduler %s has put %u entities that it had not taken, or had put before; they are "
			 "left where they are, and the scheduler default does its work from now on",
			 policy->sched->name, fg_sched_thread.strange);
}

bool
fg_policy_hand_empty(struct fg_policy *policy, struct fg_runqueue *queue)
{
	if (__builtin_expect((fg_sched_thread.n_in_hand | fg_sched_thread.strange) == 0, 1))
		return true;
	if (fg_exchange_acq_rel(&policy->failed, 1) == 0)
		complain(policy);
	fg_decision_begin(policy->sched, FG_DECIDER_runtime);
	fg_reason("the policy had lost it");
	while (fg_sched_thread.n_in_hand) {
		struct fg_entity *entity = fg_sched_thread.in_hand;
		fg_policy_hand_put(entity);
		fg_decision_placed(entity, entity->from, fg_place_of(queue));
		fg_runqueue_push(queue, entity);
	}
	fg_sched_thread.strange = 0;
	return false;
}
