/* Sharing in a NUMA node (floor: sched); see tune.h.
 *
 * IPDPS 2010 says: of each NUMA node, the most loaded PU gives its runqueue to the node, so that the heaviest teams
 * begin first. It leaves open which of the two runqueues a PU looks at first. Here a PU looks at its own first, so the
 * shared members would begin last: after all that lies on the PUs. Therefore:
 * - the most loaded PU is the one with the heaviest member, and among equals the one with the most load;
 * - teams of clearly lighter members go to the node as well, and the node's runqueue is ordered: heaviest member first;
 * - these lighter teams are burst. Otherwise the thread that met one would run all its members before anything else.
 * - nothing is shared where the loads of the team around are known and none of its members has clearly more than a PU's
 *   share of them: its members would only leave the PU of their data.
 * Threads that have begun stay where they are. Where no PU has more than one thread, nothing is shared: no PU could be
 * done sooner by it, and members would run where they did not run last. */
#include "sched/tune.h"

#include <stdlib.h>

#include "forest/bubble.h"
#include "platform/memory.h"
#include "sched/decision.h"

/* A member is clearly lighter than another one if that has so many times its load. */
#define LIGHTER 1.5
/* A member of the team around has clearly more than a PU's share of that team's loads if it has so many times the
 * share. */
#define HEAVY 1.25

/* The number of entities that are shared at a time; more stay where they lie. */
enum { SHARED_MAX = 128 };

/* It lies outside of the stack, because that may be small. */
struct shared {
	unsigned n;
	struct {
		struct fg_entity *entity;
		double load;
	} one[SHARED_MAX];
	struct fg_entity *member[SHARED_MAX]; /* of one of these */
};

/* Of a bubble, that of each of its members; of a member, its part of a load that was told of its team. */
static double
member_load(struct fg_entity *entity)
{
	const struct fg_bubble *bubble = fgomp_entity_bubble(entity), *team = fgomp_entity_parent(entity);
	if (bubble)
		return fgomp_entity_load(entity) /
		       (bubble->entity.load > 0 ? bubble->size : fgomp_entity_threads(entity));
	if (!fgomp_entity_load_known(entity) && team && team->entity.load > 0)
		return (double)team->entity.load / team->size;
	return fgomp_entity_load(entity);
}

struct weight {
	double member, load; /* of the heaviest member; of all */
	unsigned threads;
};

static struct weight
weigh(struct fg_runqueue *queue)
{
	struct weight weight = {0};
	struct fg_holder *holder = fgomp_queue_holder(queue);
	for (struct fg_entity *entity = fgomp_holder_first(holder); entity;
	     entity = fgomp_holder_next(holder, entity)) {
		double member = member_load(entity);
		weight.threads += fgomp_entity_threads(entity);
		if (entity->kind == FG_ENTITY_THREAD)
			continue;
		weight.load += member * fgomp_entity_threads(entity);
		if (member > weight.member)
			weight.member = member;
	}
	return weight;
}

static bool
weighs_more(const struct weight *a, const struct weight *b)
{
	return a->member != b->member ? a->member > b->member : a->load > b->load;
}

/* Sorted, the heaviest last: the last one put is found first. */
static void
add(struct shared *shared, struct fg_entity *entity, double load)
{
	unsigned at = shared->n++;
	for (; at > 0 && shared->one[at - 1].load > load; at--)
		shared->one[at] = shared->one[at - 1];
	shared->one[at].entity = entity;
	shared->one[at].load = load;
}

/* Takes what has members of at most this load. */
static void
gather(struct shared *shared, struct fg_runqueue *queue, double load)
{
	struct fg_holder *holder = fgomp_queue_holder(queue);
	struct fg_entity *entity = fgomp_holder_first(holder), *next;
	for (; entity && shared->n < SHARED_MAX; entity = next) {
		next = fgomp_holder_next(holder, entity);
		double one = member_load(entity);
		if (entity->kind == FG_ENTITY_THREAD || one > load)
			continue;
		fgomp_take(entity);
		add(shared, entity, one);
	}
}

/* Puts them on the node. Bubbles of members of at most this load are burst. */
static void
put(struct shared *shared, struct fg_runqueue *node, double load)
{
	for (unsigned i = 0; i < shared->n; i++) {
		struct fg_entity *entity = shared->one[i].entity;
		struct fg_bubble *bubble = fgomp_entity_bubble(entity);
		unsigned n = 0;
		if (bubble && shared->one[i].load <= load && fgomp_entity_all(entity) <= SHARED_MAX)
			n = fgomp_bubble_burst(bubble, shared->member);
		if (n == 0)
			fgomp_put_locked(entity, node);
		while (n-- > 0)
			fgomp_put_locked(shared->member[n], node);
	}
}

/* The node is locked with all below. */
static void
share(struct fg_runqueue *node, const struct fg_runqueue *taken)
{
	struct weight on_node = weigh(node), most = {0};
	struct fg_runqueue *heaviest = NULL;
	bool rest = on_node.threads > 0;
	for (unsigned pu = 0; pu < fgomp_queue_n_pus(node); pu++) {
		struct fg_runqueue *leaf = fgomp_queue_of_pu(node, fgomp_queue_first_pu(node) + pu);
		struct weight weight = weigh(leaf);
		rest |= weight.threads + (leaf == taken) > 1;
		if (weight.member > 0 && weighs_more(&weight, &most)) {
			most = weight;
			heaviest = leaf;
		}
	}
	if (!rest || (!heaviest && on_node.member == 0))
		return;
	struct shared *shared = fg_memory_get(sizeof *shared);
	if (!shared)
		return;
	shared->n = 0;
	double load = (most.member > on_node.member ? most.member : on_node.member) / LIGHTER;
	if (heaviest && most.member > on_node.member)
		gather(shared, heaviest, most.member);
	for (unsigned pu = 0; pu < fgomp_queue_n_pus(node); pu++)
		gather(shared, fgomp_queue_of_pu(node, fgomp_queue_first_pu(node) + pu), load);
	if (shared->n)
		gather(shared, node, on_node.member);
	fg_reason("the heaviest PU shares with its node");
	put(shared, node, load);
	fg_memory_free(shared);
}

/* It looks without locks: a lone bubble that is shared already needs nothing more. */
static void
tune_node(struct fg_runqueue *node, const struct fg_runqueue *taken)
{
	unsigned lie = 0;
	for (unsigned pu = 0; pu < fgomp_queue_n_pus(node); pu++)
		lie += fgomp_queue_count(fgomp_queue_of_pu(node, fgomp_queue_first_pu(node) + pu));
	if (lie == 0)
		return;
	fgomp_queue_lock_all(node);
	share(node, taken);
	fgomp_queue_unlock_all(node);
}

/* The loads of the team around are known, and no member of it has clearly more than a PU's share. */
static bool
is_even(const void *self, struct fg_runqueue *level, const struct fg_bubble *around)
{
	double most = 0, all = 0;
	for (unsigned k = 0; around && k < fgomp_bubble_size(around); k++) {
		double load = fgomp_bubble_member_load(around, k);
		most = load > most ? load : most;
		all += load;
	}
	for (struct fg_runqueue *up; (up = fgomp_queue_above(self, level));)
		level = up;
	return all > 0 && most * fgomp_queue_usable_pus(level) <= HEAVY * all;
}

static void
tune_below(const void *self, struct fg_runqueue *level, const struct fg_runqueue *taken)
{
	struct fg_runqueue *node = level;
	while (node && !fgomp_queue_is(node, FGOMP_NUMA_NODE))
		node = fgomp_queue_above(self, node);
	if (node) {
		if (fgomp_queue_n_children(node))
			tune_node(node, taken);
		return;
	}
	for (unsigned c = 0; c < fgomp_queue_n_children(level); c++)
		tune_below(self, fgomp_queue_child(level, c), taken);
}

void
fg_tune(const void *self, struct fg_runqueue *level, const struct fg_runqueue *taken, const struct fg_bubble *around)
{
	if (!is_even(self, level, around))
		tune_below(self, level, taken);
}
