/* Layer: a policy that looks after a part of the machine, inside the part of another (floor: sched; called by policy.c,
 * api.c and team/boot/sched_option.c). The policy around it says what lies on that part, and the layer distributes it
 * there.
 *
 * While a function of a policy works, what it puts on the part of a layer is kept here. When the function has returned,
 * each layer gets what was kept for it. No lock is held then, and the hand is empty. A hand-over only ever goes further
 * in, to a level below one of the giver's own, so the hand-overs end. */
#pragma once
#include "sched/in_force.h"

struct fg_layer_work {
	struct fg_policy *policy; /* whose function works on this thread; NULL: none that hands over */
	struct fg_runqueue *leaf; /* the PU of the thread that met the region; NULL: no region was met */
	bool flat;		  /* an outermost team gets its seats */
};
void fg_layer_enter_slow(struct fg_layer_work work);
static inline void
fg_layer_enter(struct fg_layer_work work)
{
	if (__builtin_expect(fg_policies.layered, 0))
		fg_layer_enter_slow(work);
}
typedef void (*fg_handed_function)(void *self, const struct fgomp_handed *handed);
/* The function with which the policy distributes what it is handed; NULL: it has none, or it has failed. */
fg_handed_function fg_layer_handed(const struct fg_policy *policy);

/* What is kept for one level. Entities are chained by `next`, in the order in which they were put. */
struct fg_parcel {
	struct fg_parcel *next;
	struct fg_runqueue *level;
	const struct fg_policy *giver;
	struct fg_entity *first, *last;
	unsigned n;
};

/* Takes the oldest parcel of this thread; NULL: there is none. The caller frees it. */
struct fg_parcel *fg_layer_parcel(void);
const struct fg_layer_work *fg_layer_work(void);
/* Keeps an entity that is in no hand for the policy of this level. false: out of memory. */
bool fg_layer_keep_at(struct fg_entity *entity, struct fg_runqueue *level);

/* The function at work puts the entity on this runqueue, and the hand has it no more. true: it is kept for a layer. */
bool fg_layer_keep_slow(struct fg_entity *entity, struct fg_runqueue *queue);
static inline bool
fg_layer_keep(struct fg_entity *entity, struct fg_runqueue *queue)
{
	return __builtin_expect(fg_policies.layered, 0) && fg_layer_keep_slow(entity, queue);
}

/* Makes it possible to start this policy as a layer later: `text` is what the starter names, such as "cache,tuned". The
 * text stays where it is. The policy is an instance with these options, asleep. false: out of memory. */
bool fg_layer_offer(const char *text, const struct fg_policy *pattern);
/* The pattern of that text; NULL: it was not offered. */
const struct fg_policy *fg_layer_pattern(const char *text);
/* Forgets all that was offered. For the time before the first region only. */
void fg_layer_offer_none(void);

void fg_layer_after_fork(void);

/* The policy with this instance; NULL: there is none. */
struct fg_policy *fg_layer_policy(const void *self);
/* The level lies in the part of the machine that the policy had before layers. */
bool fg_layer_is_within(const struct fg_policy *policy, struct fg_runqueue *level);
/* The policy did what it must not: `default` does its work from now on. The user is told once. */
void fg_layer_fail(struct fg_policy *policy, const char *what, const char *instead);
