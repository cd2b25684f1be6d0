/* Handing over to layers (floor: sched); see layer.h. */
#include "platform/memory.h"
#include "sched/decision.h"
#include "sched/layer_give.h"
#include "sched/policy.h"

#define EXPORT __attribute__((visibility("default")))

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
take_into_hand(struct fg_parcel *parcel, struct fg_entity **entities)
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
deliver(struct fg_parcel *parcel, const struct fg_layer_work *work)
{
	struct fg_policy *policy = fg_policy_of(parcel->level);
	fg_handed_function handed = fg_layer_handed(policy);
	struct fg_entity **entities = fg_memory_get(parcel->n * sizeof *entities);
	if (policy == parcel->giver) /* its layer has ended meanwhile */
		handed = NULL;
	fg_decision_begin(policy->sched, FG_DECIDER_handed);
	take_into_hand(parcel, entities);
	if (!entities)
		return;
	if (handed) {
		fg_layer_enter_slow((struct fg_layer_work){policy, work->leaf, work->flat});
		handed(policy->self, &(struct fgomp_handed){
					     .entities = entities,
					     .n = parcel->n,
					     .level = parcel->level,
					     .leaf = is_below(parcel->level, work->leaf) ? work->leaf : NULL,
					     .flat = work->flat,
				     });
		fg_layer_enter_slow((struct fg_layer_work){0});
		fg_policy_hand_empty(policy, parcel->level);
	} else {
		put_down(entities, parcel->n, parcel->level);
	}
	fg_memory_free(entities);
}

void
fg_layer_leave_slow(void)
{
	struct fg_layer_work work = *fg_layer_work();
	fg_layer_enter_slow((struct fg_layer_work){0});
	for (struct fg_parcel *parcel; (parcel = fg_layer_parcel());) {
		deliver(parcel, &work);
		fg_memory_free(parcel);
	}
}

EXPORT bool
fgomp_queue_hands_over(const void *self, const struct fg_runqueue *queue)
{
	const struct fg_policy *policy = fg_policy_of(queue);
	return fg_policies.layered && policy->self != self && fg_layer_handed(policy);
}

EXPORT unsigned
fgomp_hand_over(const void *self, struct fg_entity *const *entities, unsigned n, struct fg_runqueue *level)
{
	struct fg_policy *policy = fg_layer_policy(self), *layer = fg_policy_of(level);
	bool over = policy && policy == fg_layer_work()->policy && layer != policy;
	if (policy && !fg_layer_is_within(policy, level)) {
		fg_layer_fail(policy, "has handed entities over to a level outside of its part of the machine",
			      "they are run all the same");
		return 0;
	}
	over = over && fg_layer_handed(layer);
	unsigned kept = 0;
	for (unsigned i = 0; i < n; i++) {
		if (!over)
			fgomp_put(entities[i], level);
		else if (fg_policy_hand_put(entities[i])) {
			bool done = fg_layer_keep_at(entities[i], level);
			kept += done;
			if (!done)
				fg_policy_hand_take(entities[i]); /* it is put at the end */
		}
	}
	return kept;
}

EXPORT unsigned
fgomp_queue_hand_over(const void *self, struct fg_runqueue *level)
{
	const struct fg_policy *policy = fg_layer_work()->policy;
	if (!fgomp_queue_hands_over(self, level) || !policy || policy->self != self)
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
