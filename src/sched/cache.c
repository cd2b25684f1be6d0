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
 * - `tuned` is in tune.c. */
#include <stdlib.h>

#include "sched/deal.h"
#include "sched/decision.h"
#include "sched/home.h"
#include "sched/policy.h"
#include "sched/rob.h"
#include "sched/tune.h"

enum { LOAD_NO, LOAD_LEARNT, LOAD_TOLD };

struct cache {
	double load, tuned;
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
	const struct fg_bubble *around = bubbles || !team ? team : fgomp_entity_parent(fgomp_bubble_entity(team));
	fg_deal_handed(&deal, handed, distribute);
	if (cache->tuned > 0 && !handed->flat)
		fg_tune(self, handed->level, handed->leaf, around);
}

/* A heavy member has a part of the machine for its teams. */
static unsigned
range_by_load(const struct cache *cache, const struct fg_bubble *bubble, struct fg_runqueue *range)
{
	const struct fg_bubble *around = bubble->entity.bubble;
	return cache->load != LOAD_NO && around && around->loads ? fgomp_queue_n_pus(range) : 0;
}

/* A bubble is dealt over its home, or without one over the part of the machine that the encountering thread has for
 * itself. The thread is one of the bubble's threads, and runs already. */
static struct fg_runqueue *
born(void *self, struct fg_bubble *bubble, struct fg_runqueue *range, struct fg_runqueue *leaf)
{
	const struct cache *cache = self;
	struct fg_deal deal = {
		.self = self, .level = range, .taken = leaf, .by_load = cache->load != LOAD_NO, .back = true};
	struct fg_home_plan plan = {0};
	if (fg_home_begin(self, bubble, leaf, range_by_load(cache, bubble, range), &plan)) {
		deal.level = plan.level;
		deal.taken = plan.leaf;
		deal.open = plan.open;
	}
	if (deal.level == leaf) {
		fg_reason("the thread that met it has one PU for itself");
		if (cache->tuned <= 0)
			return leaf;
		fgomp_put(fgomp_bubble_entity(bubble), leaf);
		fg_tune(self, leaf, leaf, fgomp_entity_parent(fgomp_bubble_entity(bubble)));
		return NULL;
	}
	deal.taken_load = fgomp_bubble_member_load(bubble, 0);
	deal.rough = deal.by_load && bubble->learnt;
	fg_deal_bubble(&deal, bubble, distribute);
	if (cache->tuned > 0)
		fg_tune(self, deal.level, leaf, fgomp_entity_parent(fgomp_bubble_entity(bubble)));
	fgomp_memory_free(plan.open);
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
	const struct cache *cache = self;
	if (fg_rob_may(self, leaf))
		return fg_rob_idle(self, leaf, turn, claim, cache->load != LOAD_NO);
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

static enum fgomp_measure
measures(const void *self)
{
	const struct cache *cache = self;
	return cache->load == LOAD_LEARNT ? FGOMP_MEASURE_LOADS : FGOMP_MEASURE_NOTHING;
}

static const char *const loads[] = {"none", "learnt", "told", NULL};

static const struct fgomp_sched_option options[] = {
	{"load",
	 "whose loads decide: nobody's (none), the program's and what was learnt (learnt), the program's (told)",
	 offsetof(struct cache, load), LOAD_LEARNT, LOAD_NO, LOAD_TOLD, loads},
	{"tuned",
	 "the heaviest PU of a NUMA node shares its runqueue with the node, and the heaviest members begin first",
	 offsetof(struct cache, tuned), 0, 0, 1, NULL},
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
};
