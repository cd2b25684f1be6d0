/* What a policy has taken and owes a holder (floor: sched; design: an entity is never lost).
 *
 * A function of a policy runs to its end on one identity: its hand is thread-local. At its end the hand must be empty; what is left is
 * put where the PU finds it, and from then on `default` does the work of that policy. */
#include "base/log.h"
#include "sched/policy.h"

#define REMEMBERED 16

static __thread struct {
	unsigned n; /* entities in transit */
	unsigned n_taken, n_burst;
	struct fg_entity *taken[REMEMBERED]; /* the first taken */
	struct fg_bubble *burst[REMEMBERED]; /* the first burst: their members are found by number */
} hand;

/* Whose hand an entity is in, as far as 7 bits tell: who has failed must not rescue what another one has taken since. */
static uint8_t
tag(void)
{
	return (uint8_t)((uintptr_t)&hand >> 12 | 1);
}

static void
hold(struct fg_entity *entity)
{
	entity->transit = tag();
	hand.n++;
}

void
fg_policy_hand_take(struct fg_entity *entity)
{
	hold(entity);
	if (hand.n_taken < REMEMBERED)
		hand.taken[hand.n_taken++] = entity;
}

void
fg_policy_hand_put(struct fg_entity *entity)
{
	hand.n -= entity->transit != 0;
	entity->transit = 0;
}

void
fg_policy_hand_burst(struct fg_bubble *bubble, struct fg_entity *const *free, unsigned n)
{
	fg_policy_hand_put(&bubble->entity);
	for (unsigned i = 0; i < n; i++)
		if (free[i]->kind == FG_ENTITY_MEMBER)
			hold(free[i]);
		else
			fg_policy_hand_take(free[i]);
	if (hand.n_burst < REMEMBERED)
		hand.burst[hand.n_burst++] = bubble;
}

static void
rescue(struct fg_entity *entity, struct fg_runqueue *queue)
{
	if (entity->transit != tag())
		return;
	entity->transit = 0;
	fg_runqueue_push(queue, entity);
}

static void
rescue_all(struct fg_policy *policy, struct fg_runqueue *queue)
{
	for (unsigned i = 0; i < hand.n_taken; i++)
		rescue(hand.taken[i], queue);
	for (unsigned i = 0; i < hand.n_burst; i++)
		for (unsigned k = 0; k < hand.burst[i]->n_members; k++)
			rescue(&hand.burst[i]->members[k].entity, queue);
	if (!policy->failed)
		fg_note("Bubble scheduler %s has lost %u of the entities it took, where it must put each on a runqueue or into a bubble; "
			"they are run all the same, and the scheduler default takes its place",
			policy->sched->name, hand.n);
	policy->failed = true;
}

bool
fg_policy_hand_empty(struct fg_policy *policy, struct fg_runqueue *queue)
{
	bool empty = hand.n == 0;
	if (__builtin_expect(!empty, 0))
		rescue_all(policy, queue);
	hand.n = hand.n_taken = hand.n_burst = 0;
	return empty;
}
