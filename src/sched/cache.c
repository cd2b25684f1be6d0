/* Policy `cache`: a team stays on PUs that share a cache, and bubbles are burst as a last resort (floor: sched).
 * Threads go back to where they ran last, and loads decide where they are known.
 *
 * Broquedis, Aumage, Goglin, Thibault, Wacrenier, Namyst: Structuring the Execution of OpenMP Applications for
 * Multicore Architectures, IPDPS 2010, section III.A. The paper leaves some points open. The choices here are:
 * - "more teams than cores" is read as at least as many;
 * - a thread goes to where it ran last, if that part of the machine then has at most its share, or a little more
 *   (deal.c);
 * - a flat team no larger than the machine has a PU for each member. The worker of a member must not depend on loads,
 *   or its threadprivate variables would change. Instead a heavy member gets its part of the machine as the range of
 *   its own teams;
 * - entities are dealt in their order where loads are not known and all bubbles have one size (deal.h);
 * - stealing looks at the nearest runqueues first, takes the entity with the largest load there, and of a bubble one
 *   member;
 * - `tuned`: of each NUMA node, the heaviest PU's runqueue gives its entities to the node's runqueue. The heaviest is
 *   found first. A PU's only thread stays: nothing of it would be left for a PU that is done sooner, and it would run
 *   where it did not run last;
 * - `tuned=each` does this also where a thread has one PU for itself, as in table IV: each new team lies on its PU, and
 *   unless the node has something already, the heaviest PU's teams go there whole. */
#include <stdlib.h>

#include "sched/deal.h"
#include "sched/decision.h"
#include "sched/policy.h"
#include "sched/rearrange.h"
#include "sched/room.h"

enum { LOAD_NO, LOAD_LEARNT, LOAD_TOLD };
enum { TUNED_NO, TUNED_YES, TUNED_EACH };

struct cache {
	double load, tuned, redistribute;
	struct fg_room_owners owners;
};

/* The index of the bubble with the most threads; n: there is none. */
static unsigned
largest_bubble(const struct fg_deal *deal)
{
	unsigned most = deal->n;
	for (unsigned i = 0; i < deal->n; i++)
		if (fgomp_entity_bubble(deal->entity[i]) &&
		    (most == deal->n ||
		     fgomp_entity_threads(deal->entity[i]) > fgomp_entity_threads(deal->entity[most])))
			most = i;
	return most;
}

static void
distribute(struct fg_deal *deal)
{
	fg_deal_range(deal);
	if (fgomp_queue_n_children(deal->level) == 0) {
		fg_deal_put(deal);
		return;
	}
	while (deal->n + (deal->taken != NULL) < fg_deal_pus(deal, deal->level)) {
		unsigned most = largest_bubble(deal);
		fg_reason("fewer entities than PUs");
		if (most == deal->n || !fg_deal_burst(deal, most))
			break;
	}
	fg_deal_down(deal, distribute);
}

static double
load_on(struct fg_runqueue *queue)
{
	double load = 0;
	struct fg_holder *holder = fgomp_queue_holder(queue);
	for (struct fg_entity *entity = fgomp_holder_first(holder); entity; entity = fgomp_holder_next(holder, entity))
		load += fgomp_entity_load(entity);
	return load;
}

static struct fg_entity *
heaviest(struct fg_runqueue *queue)
{
	struct fg_entity *most = NULL;
	struct fg_holder *holder = fgomp_queue_holder(queue);
	for (struct fg_entity *entity = fgomp_holder_first(holder); entity; entity = fgomp_holder_next(holder, entity))
		if (!most || fgomp_entity_load(entity) >= fgomp_entity_load(most))
			most = entity;
	return most;
}

/* The PU runs one thread there, or the encountering thread already. Is there another? */
static bool
has_rest(struct fg_runqueue *leaf, const struct fg_runqueue *taken)
{
	unsigned threads = leaf == taken;
	struct fg_holder *holder = fgomp_queue_holder(leaf);
	for (struct fg_entity *entity = fgomp_holder_first(holder); entity; entity = fgomp_holder_next(holder, entity))
		threads += fgomp_entity_threads(entity);
	return threads > 1;
}

/* It looks without locks, because locking a whole node costs every new team some microseconds. A bubble that lies alone
 * on a PU counts as one. */
static bool
may_have_rest(struct fg_runqueue *node, const struct fg_runqueue *taken)
{
	for (unsigned pu = 0; pu < fgomp_queue_n_pus(node); pu++) {
		struct fg_runqueue *leaf = fgomp_queue_of_pu(node, fgomp_queue_first_pu(node) + pu);
		if (fgomp_queue_count(leaf) + (leaf == taken) > 1)
			return true;
	}
	return false;
}

/* The node is locked with all below. */
static void
share_heaviest(struct fg_runqueue *node, const struct fg_runqueue *taken)
{
	struct fg_runqueue *most = NULL;
	for (unsigned pu = 0; pu < fgomp_queue_n_pus(node); pu++) {
		struct fg_runqueue *leaf = fgomp_queue_of_pu(node, fgomp_queue_first_pu(node) + pu);
		if (leaf != node && fgomp_queue_count(leaf) && (!most || load_on(leaf) > load_on(most)))
			most = leaf;
	}
	if (most && !has_rest(most, taken))
		return;
	fg_reason("the heaviest PU shares with its node");
	while (most && fgomp_queue_count(most)) {
		struct fg_entity *lightest = NULL; /* goes first, so that it is found last */
		struct fg_holder *holder = fgomp_queue_holder(most);
		for (struct fg_entity *entity = fgomp_holder_first(holder); entity;
		     entity = fgomp_holder_next(holder, entity))
			if (!lightest || fgomp_entity_load(entity) < fgomp_entity_load(lightest))
				lightest = entity;
		fgomp_take(lightest);
		fgomp_put_locked(lightest, node);
	}
}

/* bubbles: some of the entities that were dealt are bubbles. */
static void
tune(struct fg_runqueue *level, const struct fg_runqueue *taken, bool bubbles)
{
	if (fgomp_queue_is(level, FGOMP_NUMA_NODE) || fgomp_queue_n_children(level) == 0) {
		if (!bubbles && !may_have_rest(level, taken))
			return;
		fgomp_queue_lock_all(level);
		share_heaviest(level, taken);
		fgomp_queue_unlock_all(level);
		return;
	}
	for (unsigned c = 0; c < fgomp_queue_n_children(level); c++)
		tune(fgomp_queue_child(level, c), taken, bubbles);
}

/* All PUs of the node may have a thread for themselves, which runs. So each has a rest if anything lies there. */
static void
tune_around(const void *self, struct fg_runqueue *leaf)
{
	struct fg_runqueue *node = leaf, *most = NULL;
	while (node && !fgomp_queue_is(node, FGOMP_NUMA_NODE))
		node = fgomp_queue_above(self, node);
	if (!node || node == leaf || fgomp_queue_count(node))
		return;
	fgomp_queue_lock_all(node);
	for (unsigned pu = 0; pu < fgomp_queue_n_pus(node); pu++) {
		struct fg_runqueue *one = fgomp_queue_of_pu(node, fgomp_queue_first_pu(node) + pu);
		if (fgomp_queue_count(one) && (!most || load_on(one) > load_on(most)))
			most = one;
	}
	fg_reason("the heaviest PU shares with its node");
	while (most && fgomp_queue_count(most)) {
		struct fg_entity *one = fgomp_holder_first(fgomp_queue_holder(most));
		fgomp_take(one);
		fgomp_put_locked(one, node);
	}
	fgomp_queue_unlock_all(node);
}

static void
place(void *self, struct fg_bubble *team, struct fg_runqueue *top)
{
	const struct cache *cache = self;
	struct fg_deal deal = {.self = self, .level = top, .by_load = cache->load != LOAD_NO, .back = true};
	deal.one_each = fgomp_entity_threads(fgomp_bubble_entity(team)) <= fgomp_queue_n_pus(top);
	fg_deal_bubble(&deal, team, distribute);
}

static void
handed(void *self, const struct fgomp_handed *handed)
{
	const struct cache *cache = self;
	struct fg_deal deal = {.self = self, .by_load = cache->load != LOAD_NO, .back = true};
	unsigned threads = 0;
	bool bubbles = false;
	for (unsigned i = 0; i < handed->n; i++) {
		threads += fgomp_entity_threads(handed->entities[i]);
		bubbles |= fgomp_entity_bubble(handed->entities[i]) != NULL;
	}
	struct fg_bubble *team = fgomp_entity_parent(handed->entities[0]);
	deal.one_each = handed->flat && threads <= fgomp_queue_n_pus(handed->level);
	deal.taken_load = handed->leaf && team && !bubbles ? fgomp_bubble_member_load(team, 0) : 0;
	fg_deal_handed(&deal, handed, distribute);
	if (cache->tuned != TUNED_NO && !handed->flat)
		tune(handed->level, handed->leaf, bubbles);
}

/* A bubble is dealt over the part of the machine that the encountering thread has for itself. With the option
 * `redistribute` it gets a free PU for each member, if there are enough (room.h). The thread is one of the bubble's
 * threads, and runs already. */
static struct fg_runqueue *
born(void *self, struct fg_bubble *bubble, struct fg_runqueue *range, struct fg_runqueue *leaf)
{
	struct cache *cache = self;
	struct fg_deal deal = {
		.self = self, .level = range, .taken = leaf, .by_load = cache->load != LOAD_NO, .back = true};
	struct fg_room room = {0};
	if (cache->redistribute > 0)
		room = fg_room_find(&cache->owners, self, bubble, leaf);
	if (room.level) {
		deal.level = room.level;
		deal.open = room.open;
	} else if (range == leaf) {
		fg_reason("the thread that met it has one PU for itself");
		if (cache->tuned != TUNED_EACH)
			return leaf;
		fgomp_put(fgomp_bubble_entity(bubble), leaf);
		tune_around(self, leaf);
		return NULL;
	}
	deal.taken_load = fgomp_bubble_member_load(bubble, 0);
	bool bubbles = fgomp_entity_threads(fgomp_bubble_entity(bubble)) != fgomp_bubble_entities(bubble);
	fg_deal_bubble(&deal, bubble, distribute);
	if (cache->tuned != TUNED_NO)
		tune(deal.level, leaf, bubbles);
	fgomp_memory_free(room.open);
	return NULL;
}

/* The runqueue below the level, but not below `except`, where the heaviest entity lies. */
static struct fg_runqueue *
search_below(struct fg_runqueue *level, struct fg_runqueue *except, double *load)
{
	struct fg_runqueue *found = NULL;
	if (level == except)
		return NULL;
	if (fgomp_queue_count(level)) {
		fgomp_queue_lock(level);
		struct fg_entity *entity = heaviest(level);
		if (entity && fgomp_entity_load(entity) > *load) {
			*load = fgomp_entity_load(entity);
			found = level;
		}
		fgomp_queue_unlock(level);
	}
	for (unsigned c = 0; c < fgomp_queue_n_children(level); c++) {
		struct fg_runqueue *better = search_below(fgomp_queue_child(level, c), except, load);
		found = better ? better : found;
	}
	return found;
}

static bool
idle(void *self, struct fg_runqueue *leaf, unsigned turn, struct fg_claim *claim)
{
	(void)turn;
	struct fg_runqueue *done = leaf;
	for (struct fg_runqueue *level = leaf; (level = fgomp_queue_above(self, level)); done = level) {
		double load = 0;
		struct fg_runqueue *victim = search_below(level, done, &load);
		if (!victim)
			continue;
		fgomp_queue_lock(victim);
		struct fg_entity *entity = heaviest(victim);
		fg_reason("the heaviest entity, nearest first");
		if (entity)
			fgomp_claim(entity, claim);
		fgomp_queue_unlock(victim);
		if (entity)
			return true;
	}
	return false;
}

/* The paper's choice: the largest bubble. */
static bool
largest(const struct fg_live_item *a, const struct fg_live_item *b)
{
	return a->weight > b->weight;
}

static bool
redistribute(void *self, enum fgomp_occasion why, struct fg_runqueue *level)
{
	(void)why;
	return fg_rearrange(self, level, largest);
}

static enum fgomp_measure
measures(const void *self)
{
	const struct cache *cache = self;
	return cache->load == LOAD_LEARNT ? FGOMP_MEASURE_LOADS : FGOMP_MEASURE_NOTHING;
}

static const char *const tunings[] = {"no", "yes", "each", NULL};
static const char *const loads[] = {"none", "learnt", "told", NULL};
static bool
redistributes(const void *self)
{
	const struct cache *cache = self;
	return cache->redistribute > 0;
}

static const struct fgomp_sched_option options[] = {
	{"load", "whose loads decide: nobody's (none), the program's and what was learnt (learnt), the program's (told)",
	 offsetof(struct cache, load), LOAD_LEARNT, LOAD_NO, LOAD_TOLD, loads},
	{"tuned",
	 "the heaviest PU of a NUMA node shares its runqueue with the node: where a thread has several PUs for its teams (yes), or wherever it has (each)",
	 offsetof(struct cache, tuned), TUNED_NO, TUNED_NO, TUNED_EACH, tunings},
	{"redistribute",
	 "new teams go over the PUs that are free now, and teams in flight are rearranged while PUs are idle",
	 offsetof(struct cache, redistribute), 0, 0, 1, NULL},
	{0},
};

const struct fgomp_sched fg_sched_cache = {
	.abi = FGOMP_SCHED_ABI,
	.name = "cache",
	.summary = "teams stay on shared caches, threads go back to where they ran, loads are balanced (IPDPS 2010)",
	.size = sizeof(struct cache),
	.options = options,
	.measures = measures,
	.place = place,
	.born = born,
	.idle = idle,
	.handed = handed,
	.redistribute = redistribute,
	.redistributes = redistributes,
};
