/* Layers that policies start and end while the program runs (floor: sched; include/forestgomp/sched.h).
 *
 * A worker may be in a function of a layer when that ends, and its instance must stay. So a layer stays for ever. The
 * next start of the same policy on the same level finds it, with all that it knows. There are at most as many as levels
 * times policies that may be started. What may be started is offered in a constructor (fg_layer_offer). */
#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "platform/memory.h"
#include "sched/layer.h"
#include "sched/policy.h"

#define EXPORT __attribute__((visibility("default")))

struct offer {
	struct offer *next;
	const char *text;
	const struct fg_policy *pattern;
};

struct layer {
	struct fg_policy policy;
	struct layer *next;
	struct fg_runqueue *level;
	const struct fg_policy *pattern;
	bool at_work;
	struct fg_policy *before[]; /* the policy of each level of its part, before it was started */
};

static struct {
	struct offer *offers;
	struct layer *first;
	/* It guards the layers, and each change of a level's policy. */
	struct fg_spinlock lock;
} layers = {.lock = FG_SPINLOCK_INIT(FG_RANK_MACHINE)};

bool
fg_layer_offer(const char *text, const struct fg_policy *pattern)
{
	struct offer *offer = fg_memory_get(sizeof *offer);
	if (!offer)
		return false;
	*offer = (struct offer){layers.offers, text, pattern};
	layers.offers = offer;
	return true;
}

const struct fg_policy *
fg_layer_pattern(const char *text)
{
	const struct offer *offer = layers.offers;
	while (offer && strcmp(offer->text, text) != 0)
		offer = offer->next;
	return offer ? offer->pattern : NULL;
}

void
fg_layer_offer_none(void)
{
	while (layers.offers) {
		struct offer *next = layers.offers->next;
		fg_memory_free(layers.offers);
		layers.offers = next;
	}
}

static unsigned
count(struct fg_runqueue *level)
{
	const struct fg_runqueue_list *below = fg_runqueue_below(level);
	unsigned n = 1;
	for (unsigned i = 0; below && i < below->n; i++)
		n += count(below->queue[i]);
	return n;
}

/* Writes the policy of the level and of all below, and where `before` is not NULL what was there. Returns how many. */
static unsigned
swap_locked(struct fg_runqueue *level, struct fg_policy *policy, struct fg_policy **before)
{
	const struct fg_runqueue_list *below = fg_runqueue_below(level);
	unsigned n = 1;
	before[0] = fg_own_load_relaxed(&level->policy);
	fg_own_store_release(&level->policy, policy);
	for (unsigned i = 0; below && i < below->n; i++)
		n += swap_locked(below->queue[i], policy, before + n);
	return n;
}

static unsigned
restore_locked(struct fg_runqueue *level, struct fg_policy *const *before)
{
	const struct fg_runqueue_list *below = fg_runqueue_below(level);
	unsigned n = 1;
	fg_own_store_release(&level->policy, before[0]);
	for (unsigned i = 0; below && i < below->n; i++)
		n += restore_locked(below->queue[i], before + n);
	return n;
}

/* A copy that a team is placed on follows the machine. */
static void
follow_locked(struct fg_runqueue *copy)
{
	const struct fg_runqueue_list *below = fg_runqueue_below(copy);
	fg_own_store_release(&copy->policy, fg_own_load_relaxed(&copy->copy_of->policy));
	for (unsigned i = 0; below && i < below->n; i++)
		follow_locked(below->queue[i]);
}

static struct layer *
find_locked(const struct fg_runqueue *level, const struct fg_policy *pattern)
{
	struct layer *layer = layers.first;
	while (layer && (layer->level != level || layer->pattern != pattern))
		layer = layer->next;
	return layer;
}

static struct layer *
make(struct fg_runqueue *level, const struct fg_policy *pattern)
{
	const struct fgomp_sched *sched = pattern->sched;
	struct layer *layer = fg_memory_zeroed(sizeof *layer + count(level) * sizeof layer->before[0]);
	void *self = fg_memory_zeroed(sched->size ? sched->size : 1);
	for (const struct fgomp_sched_option *option = sched->options; self && option && option->name; option++)
		memcpy((char *)self + option->offset, (const char *)pattern->self + option->offset, sizeof(double));
	if (!layer || !self || (sched->start && sched->start(self) != 0)) {
		fg_memory_free(layer);
		fg_memory_free(self);
		return NULL;
	}
	layer->policy = (struct fg_policy){.sched = sched, .self = self, .counters = pattern->counters};
	layer->level = level;
	layer->pattern = pattern;
	return layer;
}

/* FGOMP_SCHED has started the same policy, with the same options, inside the caller's. */
static bool
is_as_chosen(const struct fg_policy *policy, const struct fg_policy *caller, const struct fg_policy *pattern)
{
	const struct fgomp_sched_option *option = pattern->sched->options;
	bool same = policy->sched == pattern->sched && policy->outer == caller;
	for (; same && option && option->name; option++)
		same = memcmp((const char *)policy->self + option->offset, (const char *)pattern->self + option->offset,
			      sizeof(double)) == 0;
	return same;
}

/* The result of a try to start a layer. */
enum result { STARTED, AT_WORK, TAKEN };

/* A layer that is there stays, and so does a policy that FGOMP_SCHED has chosen. */
static bool
is_there_locked(const struct fg_policy *caller, const struct fg_runqueue *level, const struct fg_policy *pattern)
{
	return find_locked(level, pattern) || is_as_chosen(fg_policy_of(level), caller, pattern);
}

/* Another thread may make the layer meanwhile. */
static bool
needs_one(const struct fg_policy *caller, const struct fg_runqueue *level, const struct fg_policy *pattern)
{
	fg_spinlock_lock(&layers.lock);
	bool there = is_there_locked(caller, level, pattern);
	fg_spinlock_unlock(&layers.lock);
	return !there;
}

/* `fresh` is a layer to use if there is none; NULL: it is used, or not needed. */
static enum result
start_locked(struct fg_policy *caller, struct fg_runqueue *level, const struct fg_policy *pattern, struct layer **fresh)
{
	struct layer *layer = find_locked(level, pattern);
	if (layer && layer->at_work)
		return layer->policy.outer == caller && fg_policy_of(level) == &layer->policy ? AT_WORK : TAKEN;
	if (fg_policy_of(level) != caller)
		return is_as_chosen(fg_policy_of(level), caller, pattern) ? AT_WORK : TAKEN;
	if (!layer) {
		layer = *fresh;
		*fresh = NULL;
		layer->next = layers.first;
		layers.first = layer;
		layer->policy.next = fg_policies_first();
		fg_own_store_release(&fg_policies.first, &layer->policy);
	}
	layer->policy.outer = caller;
	layer->at_work = true;
	fg_own_store_relaxed(&layer->policy.asleep, 0);
	swap_locked(level, &layer->policy, layer->before);
	return STARTED;
}

static bool
names(const struct fgomp_sched *sched, const char *text)
{
	const char *const *name = sched->starts;
	while (name && *name && strcmp(*name, text) != 0)
		name++;
	return name && *name;
}

EXPORT bool
fgomp_layer_start(const void *self, struct fg_runqueue *level, const char *policy)
{
	static const char unchanged[] = "the level keeps the scheduler that it has";
	struct fg_policy *caller = fg_layer_policy(self);
	struct fg_runqueue *real = level->copy_of ? level->copy_of : level;
	if (!caller)
		return false;
	const struct fg_policy *pattern = names(caller->sched, policy) ? fg_layer_pattern(policy) : NULL;
	if (!pattern) {
		char what[192];
		snprintf(what, sizeof what,
			 "wants to start '%.64s' on a level, which is none of the policies that it names in `starts`",
			 policy);
		fg_layer_fail(caller, what, unchanged);
		return false;
	}
	struct layer *fresh = needs_one(caller, real, pattern) ? make(real, pattern) : NULL;
	fg_spinlock_lock(&layers.lock);
	bool known = fresh || is_there_locked(caller, real, pattern), within = fg_layer_is_within(caller, real);
	enum result result = known && within ? start_locked(caller, real, pattern, &fresh) : TAKEN;
	if (result != TAKEN && level != real)
		follow_locked(level);
	fg_spinlock_unlock(&layers.lock);
	if (fresh) {
		if (fresh->policy.sched->stop)
			fresh->policy.sched->stop(fresh->policy.self);
		fg_memory_free(fresh->policy.self);
		fg_memory_free(fresh);
	}
	if (result != TAKEN)
		return true;
	fg_layer_fail(caller,
		      !within ? "wants to start a scheduler on a level outside of its part of the machine"
		      : known ? "wants to start a scheduler on a level where another one is at work"
			      : "wants to start a scheduler that does not start",
		      unchanged);
	return false;
}

static void
end_locked(struct layer *layer)
{
	for (struct layer *inner = layers.first; inner; inner = inner->next)
		if (inner->at_work && inner->policy.outer == &layer->policy)
			end_locked(inner);
	restore_locked(layer->level, layer->before);
	layer->at_work = false;
	fg_own_store_relaxed(&layer->policy.asleep, 1);
}

EXPORT bool
fgomp_layer_end(const void *self, struct fg_runqueue *level)
{
	struct fg_runqueue *real = level->copy_of ? level->copy_of : level;
	fg_spinlock_lock(&layers.lock);
	struct layer *layer = layers.first;
	while (layer && !(layer->level == real && layer->at_work && fg_policy_of(real) == &layer->policy &&
			  layer->policy.outer->self == self))
		layer = layer->next;
	if (layer)
		end_locked(layer);
	if (layer && level != real)
		follow_locked(level);
	fg_spinlock_unlock(&layers.lock);
	return layer;
}

/* A thread that held the lock does not exist in the child. What it was about to write is written at the next start. */
void
fg_layer_after_fork(void)
{
	fg_spinlock_init(&layers.lock, FG_RANK_MACHINE);
}
