/* What is kept for layers (floor: sched); see layer.h. */
#include "sched/layer.h"

#include "base/log.h"
#include "platform/memory.h"
#include "sched/decision.h"
#include "sched/policy.h"

/* The `transit` of an entity that is kept: it is in no hand, and no caller may gather it. */
#define KEPT UINT32_MAX

static __thread struct {
	struct fg_layer_work work;
	struct fg_parcel *first;
} here;

struct fg_policy *
fg_layer_policy(const void *self)
{
	struct fg_policy *policy = fg_policies_first();
	while (policy && policy->self != self)
		policy = policy->next;
	return policy;
}

bool
fg_layer_is_within(const struct fg_policy *policy, struct fg_runqueue *level)
{
	while (level && fg_policy_of(level) != policy)
		level = fg_runqueue_parent(level);
	return level;
}

void
fg_layer_fail(struct fg_policy *policy, const char *what, const char *instead)
{
	if (fg_exchange_acq_rel(&policy->failed, 1) == 0)
		fg_error("bubble scheduler %s %s; %s, and the scheduler default does its work from now on",
			 policy->sched->name, what, instead);
}

fg_handed_function
fg_layer_handed(const struct fg_policy *policy)
{
	return fg_load_relaxed(&policy->failed) ? NULL : policy->sched->handed;
}

/* The outermost level around this one, itself included, that is not the policy's own but lies in its part. A layer that
 * distributes nothing has none. */
static struct fg_runqueue *
border(const struct fg_policy *policy, struct fg_runqueue *queue)
{
	struct fg_runqueue *found = NULL;
	for (; queue && fg_policy_of(queue) != policy; queue = fg_runqueue_parent(queue))
		found = queue;
	return queue && found && fg_layer_handed(fg_policy_of(found)) ? found : NULL;
}

static struct fg_parcel *
parcel_for(struct fg_runqueue *level)
{
	struct fg_parcel **link = &here.first;
	while (*link && (*link)->level != level)
		link = &(*link)->next;
	if (!*link && (*link = fg_memory_get(sizeof **link)))
		**link = (struct fg_parcel){.level = level, .giver = here.work.policy};
	return *link;
}

/* A range within the layer's part is for the layer to give. */
static void
forget_range(struct fg_entity *entity, const struct fg_runqueue *level)
{
	const struct fg_runqueue *range = entity->kind == FG_ENTITY_BUBBLE ? NULL : fg_load_relaxed(&entity->range);
	if (range && range->n_pus < level->n_pus)
		fg_store_relaxed(&entity->range, NULL);
}

bool
fg_layer_keep_at(struct fg_entity *entity, struct fg_runqueue *level)
{
	struct fg_parcel *parcel = parcel_for(level);
	if (!parcel)
		return false;
	fg_store_relaxed(&entity->transit, KEPT);
	entity->next = NULL;
	*(parcel->last ? &parcel->last->next : &parcel->first) = entity;
	parcel->last = entity;
	parcel->n++;
	forget_range(entity, level);
	fg_decision_placed(entity, entity->from, fg_place_of(level));
	return true;
}

bool
fg_layer_keep_slow(struct fg_entity *entity, struct fg_runqueue *queue)
{
	const struct fg_policy *policy = here.work.policy;
	if (!policy || fg_policy_of(queue) == policy)
		return false;
	struct fg_runqueue *level = border(policy, queue);
	return level && fg_layer_keep_at(entity, level);
}

void
fg_layer_enter_slow(struct fg_layer_work work)
{
	here.work = work;
}

const struct fg_layer_work *
fg_layer_work(void)
{
	return &here.work;
}

struct fg_parcel *
fg_layer_parcel(void)
{
	struct fg_parcel *parcel = here.first;
	if (parcel)
		here.first = parcel->next;
	return parcel;
}
