/* Policy `affinity`: the entities of a bubble stay together as long as possible (floor: sched). A bubble is burst as
 * low in the machine and as late as possible, but so that the PUs can be kept busy.
 *
 * Broquedis, Diakhaté, Thibault, Aumage, Namyst, Wacrenier: Scheduling Dynamic OpenMP Applications over Multicore
 * Architectures, IWOMP 2008. The distribution is section 3.2, stealing section 3.3. The paper leaves some points open.
 * The choices here are:
 * - the bubble that fills the least of the machine by itself is burst first;
 * - entities are dealt as deal.h says; the members of a flat team by their loads, where the program told them;
 * - "the most threads, counted recursively" is size_of below;
 * - "not the only work of its PU": the first member of a team runs already, so any entity on a runqueue may be
 * stolen. */
#include <stdlib.h>

#include "sched/deal.h"
#include "sched/decision.h"
#include "sched/home.h"
#include "sched/policy.h"
#include "sched/rob.h"

struct affinity {
	double near, thick;
};

static unsigned
threads_of(struct fg_entity *entity)
{
	return fgomp_entity_threads(entity);
}

static unsigned
smallest_child(const struct fg_deal *deal)
{
	unsigned least = fg_deal_pus(deal, deal->level);
	for (unsigned c = 0; c < fgomp_queue_n_children(deal->level); c++) {
		unsigned pus = fg_deal_pus(deal, fgomp_queue_child(deal->level, c));
		least = pus && pus < least ? pus : least;
	}
	return least;
}

/* Some bubbles can fill a child each, and there are enough other entities for the other children. Nothing needs to be
 * burst here. */
static bool
whole_ones_do(const struct fg_deal *deal)
{
	unsigned fills = smallest_child(deal), whole = 0;
	for (unsigned i = 0; i < deal->n; i++)
		whole += fgomp_entity_bubble(deal->entity[i]) && threads_of(deal->entity[i]) >= fills;
	return whole && deal->n + (deal->taken != NULL) >= fgomp_queue_n_children(deal->level);
}

/* How strongly the members of the bubble cooperate, or for a thread, those of its own bubble. Without the option
 * `thick` all are alike. */
static double
thickness_of(struct fg_entity *entity)
{
	struct fg_bubble *bubble = fgomp_entity_bubble(entity);
	double thickness = fgomp_bubble_thickness(bubble ? bubble : fgomp_entity_parent(entity));
	return thickness > 0 ? thickness : 0;
}

static bool
bursts_before(struct fg_entity *a, struct fg_entity *b)
{
	double one = thickness_of(a), other = thickness_of(b);
	return one < other || (one == other && threads_of(a) < threads_of(b));
}

/* The index of the bubble that cooperates least; of several, of that with the fewest threads; n: there is none. */
static unsigned
least_bubble(const struct fg_deal *deal)
{
	unsigned least = deal->n;
	for (unsigned i = 0; i < deal->n; i++)
		if (fgomp_entity_bubble(deal->entity[i]) &&
		    (least == deal->n || bursts_before(deal->entity[i], deal->entity[least])))
			least = i;
	return least;
}

static void
distribute(struct fg_deal *deal)
{
	fg_deal_range(deal);
	if (fgomp_queue_n_children(deal->level) == 0) {
		fg_deal_put(deal);
		return;
	}
	while (deal->n + (deal->taken != NULL) < fg_deal_pus(deal, deal->level) && !whole_ones_do(deal)) {
		unsigned least = least_bubble(deal);
		fg_reason("fewer entities than PUs");
		if (least == deal->n || !fg_deal_burst(deal, least))
			break;
	}
	fg_deal_down(deal, distribute);
}

static void
place(void *self, struct fg_bubble *team, struct fg_runqueue *top)
{
	struct fg_deal deal = {.self = self, .level = top, .by_load = fgomp_bubble_member_load(team, 0) > 0};
	fg_deal_bubble(&deal, team, distribute);
}

static void
handed(void *self, const struct fgomp_handed *handed)
{
	struct fg_deal deal = {.self = self};
	fg_deal_handed(&deal, handed, distribute);
}

/* The option `thick` chooses by other laws. */
static bool
has_homes(const struct affinity *affinity)
{
	return affinity->thick <= 0;
}

/* A bubble is distributed over its home, or without one over the part of the machine that the encountering thread has
 * for itself. The thread is one of the bubble's threads, and runs already. A lone bubble is too few entities for
 * several PUs, and is burst. */
static struct fg_runqueue *
born(void *self, struct fg_bubble *bubble, struct fg_runqueue *range, struct fg_runqueue *leaf)
{
	struct fg_deal deal = {.self = self, .level = range, .taken = leaf};
	struct fg_home_plan plan = {0};
	if (has_homes(self) && fg_home_begin(self, bubble, leaf, 0, &plan)) {
		if (plan.level == leaf)
			return leaf;
		deal.level = plan.level;
		deal.taken = plan.leaf;
		deal.open = plan.open;
	} else if (range == leaf) {
		fg_reason("the thread that met it has one PU for itself");
		return leaf;
	}
	fg_deal_bubble(&deal, bubble, distribute);
	fgomp_memory_free(plan.open);
	return NULL;
}

/* How large an entity is. A bubble holds all that its members make. Such an entity counts for the bubble even when it
 * lies on a runqueue by itself. So of two entities the one further out in the tree is the larger. */
struct size {
	unsigned depth;
	unsigned threads; /* 0: there is no entity */
	double thickness;
};

static struct size
size_of(struct fg_entity *entity)
{
	struct size size = {0, threads_of(entity), thickness_of(entity)};
	for (struct fg_bubble *above = fgomp_entity_parent(entity); above;
	     above = fgomp_entity_parent(fgomp_bubble_entity(above)))
		size.depth++;
	return size;
}

/* Of two that are as large, the one of a team that cooperates less comes first: its members may be far apart. */
static bool
as_large(struct size a, struct size b)
{
	if (a.threads == 0 || b.threads == 0)
		return b.threads == 0;
	if (a.depth != b.depth)
		return a.depth < b.depth;
	return a.threads > b.threads || (a.threads == b.threads && a.thickness <= b.thickness);
}

/* The largest entity; of several, the oldest. */
static struct fg_entity *
largest(struct fg_runqueue *queue, struct size *size)
{
	struct fg_entity *most = NULL;
	struct fg_holder *holder = fgomp_queue_holder(queue);
	*size = (struct size){0, 0, 0};
	for (struct fg_entity *entity = fgomp_holder_first(holder); entity;
	     entity = fgomp_holder_next(holder, entity)) {
		struct size one = size_of(entity);
		if (as_large(one, *size)) {
			most = entity;
			*size = one;
		}
	}
	return most;
}

/* The result of a search below a level, but not below `except`. */
struct search {
	struct fg_runqueue *except;
	struct fg_runqueue *queue; /* of the largest entity */
	struct size size;
	unsigned entities;
	const char *why; /* for a trace */
};

static void
search_below(struct search *search, struct fg_runqueue *level)
{
	if (level == search->except)
		return;
	if (fgomp_queue_count(level)) {
		fgomp_queue_lock(level);
		struct size size;
		struct fg_entity *entity = largest(level, &size);
		search->entities += fgomp_queue_count(level);
		if (entity && !as_large(search->size, size)) {
			search->size = size;
			search->queue = level;
		}
		fgomp_queue_unlock(level);
	}
	for (unsigned c = 0; c < fgomp_queue_n_children(level); c++)
		search_below(search, fgomp_queue_child(level, c));
}

/* The largest bubble in the entity; NULL: there is none. */
static struct fg_entity *
subtree(struct fg_entity *entity)
{
	struct fg_bubble *bubble = fgomp_entity_bubble(entity);
	struct fg_holder *holder = bubble ? fgomp_bubble_holder(bubble) : NULL;
	struct fg_entity *most = NULL;
	for (struct fg_entity *one = holder ? fgomp_holder_first(holder) : NULL; one;
	     one = fgomp_holder_next(holder, one))
		if (fgomp_entity_bubble(one) && (!most || threads_of(one) >= threads_of(most)))
			most = one;
	return most;
}

/* Where there are several entities to choose from, the largest comes whole. Of a lone bubble a complete subtree comes.
 * That is a bubble in it, or if there is none one member, with all that it will make. The rest moves up to a level
 * where both PUs find it. */
static bool
take(const struct search *search, struct fg_runqueue *leaf, struct fg_claim *claim)
{
	fgomp_queue_lock(search->queue);
	struct size size;
	struct fg_entity *entity = largest(search->queue, &size);
	if (!entity) {
		fgomp_queue_unlock(search->queue);
		return false;
	}
	bool alone = search->entities == 1;
	struct fg_entity *part = alone ? subtree(entity) : NULL, *comes = part ? part : alone ? NULL : entity;
	bool rises = alone && threads_of(entity) > (part ? threads_of(part) : 1);
	bool stays = comes && threads_of(comes) > 1;
	fg_reason(part ? "the largest bubble in the only one" : alone ? "a member of the only bubble" : search->why);
	bool claimed = fgomp_claim(comes ? comes : entity, claim);
	if (claimed && stays)
		fgomp_take(comes);
	if (claimed && rises)
		fgomp_take(entity);
	fgomp_queue_unlock(search->queue);
	fg_reason("it comes whole");
	if (claimed && stays)
		fgomp_put(comes, leaf);
	fg_reason("the rest moves up to where both PUs find it");
	if (claimed && rises)
		fgomp_put(entity, fgomp_queue_common(search->queue, leaf));
	return true;
}

#define TRIES 8

/* The paper's baseline: the same distribution, and the same pieces are taken, but out of any PU's runqueue. */
static bool
idle_anywhere(void *self, struct fg_runqueue *leaf, struct fg_claim *claim)
{
	struct fg_runqueue *top = leaf;
	for (struct fg_runqueue *up; (up = fgomp_queue_above(self, top));)
		top = up;
	for (unsigned i = 0; i < TRIES; i++) {
		unsigned pu = fgomp_queue_first_pu(top) + (unsigned)(fgomp_sched_random() % fgomp_queue_n_pus(top));
		struct search search = {.except = leaf, .why = "the largest entity of a random PU"};
		search_below(&search, fgomp_queue_of_pu(top, pu));
		if (search.queue && take(&search, leaf, claim))
			return true;
	}
	return false;
}

static bool
idle(void *self, struct fg_runqueue *leaf, unsigned turn, struct fg_claim *claim)
{
	const struct affinity *affinity = self;
	if (affinity->near == 0)
		return idle_anywhere(self, leaf, claim);
	if (has_homes(affinity) && fg_rob_may(self, leaf))
		return fg_rob_idle(self, leaf, turn, claim, false);
	struct search search = {.except = leaf, .why = "the largest entity, nearest first"};
	for (struct fg_runqueue *level = leaf; (level = fgomp_queue_above(self, level)); search.except = level) {
		search_below(&search, level);
		if (search.queue && take(&search, leaf, claim))
			return true;
	}
	return false;
}

static enum fgomp_measure
measures(const void *self)
{
	const struct affinity *affinity = self;
	return affinity->thick > 0 ? FGOMP_MEASURE_COOPERATION : FGOMP_MEASURE_NOTHING;
}

static const struct fgomp_sched_option options[] = {
	{"near", "thieves look at the nearest PUs first; no: at any, the paper's baseline",
	 offsetof(struct affinity, near), 1, 0, 1, NULL},
	{"thick",
	 "teams are measured; of two pieces that are as large, that of the team comes first that cooperates less",
	 offsetof(struct affinity, thick), 0, 0, 1, NULL},
	{0},
};

const struct fgomp_sched fg_sched_affinity = {
	.abi = FGOMP_SCHED_ABI,
	.name = "affinity",
	.summary =
		"bubbles stay whole as long as can be; an idle PU takes the largest piece, nearest first (IWOMP 2008)",
	.size = sizeof(struct affinity),
	.options = options,
	.place = place,
	.born = born,
	.idle = idle,
	.measures = measures,
	.handed = handed,
};
