/* Handing over to layers (floor: sched); see layer.h. */
#include "sched/layer.h"

#include "base/log.h"
#include "platform/memory.h"
#include "sched/decision.h"
#include "sched/policy.h"

#define EXPORT __attribute__((visibility("default")))

/* The `transit` of an entity that is kept: it is in no hand, and no caller may gather it. */
#define KEPT UINT32_MAX

/* What is kept for one level. Entities are chained by `next`, in the order in which they were put. */
struct parcel {
	struct parcel *next;
	struct fg_runqueue *level;
	const struct fg_policy *giver;
	struct fg_entity *first, *last;
	unsigned n;
};

bool fg_layers_on;

static __thread struct {
	struct fg_layer_work work;
	struct parcel *first;
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

static void (*handed_of(const struct fg_policy *policy))(void *self, const struct fgomp_handed *handed)
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
	return queue && found && handed_of(fg_policy_of(found)) ? found : NULL;
}

static struct parcel *
parcel_for(struct fg_runqueue *level)
{
	struct parcel **link = &here.first;
	while (*link && (*link)->level != level)
		link = &(*link)->next;
	if (!*link && (*link = fg_memory_get(sizeof **link)))
		**link = (struct parcel){.level = level, .giver = here.work.policy};
	return *link;
}

static bool
keep(struct fg_entity *entity, struct fg_runqueue *level)
{
	struct parcel *parcel = parcel_for(level);
	if (!parcel)
		return false;
	fg_store_relaxed(&entity->transit, KEPT);
	entity->next = NULL;
	*(parcel->last ? &parcel->last->next : &parcel->first) = entity;
	parcel->last = entity;
	parcel->n++;
	fg_decision_placed(entity, entity->from, fg_place_of(level));
	return true;
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
fg_layer_keep_slow(struct fg_entity *entity, struct fg_runqueue *queue)
{
	const struct fg_policy *policy = here.work.policy;
	if (!policy || fg_policy_of(queue) == policy)
		return false;
	struct fg_runqueue *level = border(policy, queue);
	if (!level || !keep(entity, level))
		return false;
	forget_range(entity, level);
	return true;
}

void
fg_layer_enter_slow(struct fg_layer_work work)
{
	here.work = work;
}

static bool
is_below(const struct fg_runqueue *level, const struct fg_runqueue *leaf)
{
	return leaf && leaf->first_pu - level->first_pu < level->n_pus;
}

/* Without memory, or a layer that works, all of it lies on the level. */
static void
put_down(struct fg_entity *const *entity, unsigned n, struct fg_runqueue *level)
{
	for (unsigned i = 0; i < n; i++)
		fgomp_put(entity[i], level);
}

static void
take_into_hand(struct parcel *parcel, struct fg_entity **entities)
{
	struct fg_entity *entity = parcel->first;
	for (unsigned i = 0; i < parcel->n; i++) {
		struct fg_entity *next = entity->next;
		fg_decision_took(entity, fg_place_of(parcel->level));
		fg_policy_hand_take(entity);
		if (entities)
			entities[i] = entity;
		else
			fgomp_put(entity, parcel->level);
		entity = next;
	}
}

static void
deliver(struct parcel *parcel, const struct fg_layer_work *work)
{
	struct fg_policy *policy = fg_policy_of(parcel->level);
	void (*handed)(void *, const struct fgomp_handed *) = handed_of(policy);
	struct fg_entity **entities = fg_memory_get(parcel->n * sizeof *entities);
	if (policy == parcel->giver) /* its layer has ended meanwhile */
		handed = NULL;
	fg_decision_begin(policy->sched, FG_DECIDER_handed);
	take_into_hand(parcel, entities);
	if (!entities)
		return;
	if (handed) {
		here.work = (struct fg_layer_work){policy, work->leaf, work->flat};
		handed(policy->self, &(struct fgomp_handed){
					     .entities = entities,
					     .n = parcel->n,
					     .level = parcel->level,
					     .leaf = is_below(parcel->level, work->leaf) ? work->leaf : NULL,
					     .flat = work->flat,
				     });
		here.work.policy = NULL;
		fg_policy_hand_empty(policy, parcel->level);
	} else {
		put_down(entities, parcel->n, parcel->level);
	}
	fg_memory_free(entities);
}

void
fg_layer_leave_slow(void)
{
	struct fg_layer_work work = here.work;
	here.work.policy = NULL;
	for (struct parcel *parcel; (parcel = here.first);) {
		here.first = parcel->next;
		deliver(parcel, &work);
		fg_memory_free(parcel);
	}
	here.work = (struct fg_layer_work){0};
}

EXPORT bool
fgomp_queue_hands_over(const void *self, const struct fg_runqueue *queue)
{
	const struct fg_policy *policy = fg_policy_of(queue);
	return fg_layers_on && policy->self != self && handed_of(policy);
}

EXPORT unsigned
fgomp_hand_over(const void *self, struct fg_entity *const *entities, unsigned n, struct fg_runqueue *level)
{
	struct fg_policy *policy = fg_layer_policy(self), *layer = fg_policy_of(level);
	bool over = policy && policy == here.work.policy && layer != policy;
	if (policy && !fg_layer_is_within(policy, level)) {
		fg_layer_fail(policy, "has handed entities over to a level outside of its part of the machine",
			      "they are run all the same");
		return 0;
	}
	over = over && handed_of(layer);
	unsigned kept = 0;
	for (unsigned i = 0; i < n; i++) {
		if (!over)
			fgomp_put(entities[i], level);
		else if (fg_policy_hand_put(entities[i])) {
			bool done = keep(entities[i], level);
			kept += done;
			if (done)
				forget_range(entities[i], level);
			else
				fg_policy_hand_take(entities[i]); /* it is put at the end */
		}
	}
	return kept;
}

EXPORT unsigned
fgomp_queue_hand_over(const void *self, struct fg_runqueue *level)
{
	if (!fgomp_queue_hands_over(self, level) || !here.work.policy || here.work.policy->self != self)
		return 0;
	fgomp_queue_lock(level);
	unsigned n = 0, room = fgomp_queue_count(level);
	struct fg_entity **entities = fg_memory_get(room * sizeof *entities), *entity;
	struct fg_holder *holder = fgomp_queue_holder(level);
	while (entities && n < room && (entity = fgomp_holder_first(holder))) {
		fgomp_take(entity);
		entities[n++] = entity;
	}
	fgomp_queue_unlock(level);
	unsigned kept = fgomp_hand_over(self, entities, n, level);
	fg_memory_free(entities);
	return kept;
}
