/* A scheduler that moves each nested team to its data. An option tells where it looks: at areas, at the remote accesses
 * that the team itself had on each node, or at PUs that have more of them than a threshold. */
#include "idle.h"
#include <forestgomp/sched.h>
#include <math.h>
#include <stdlib.h>

enum by { NOTHING, AREAS, EVENTS, COUNTERS };

struct follows {
	double by;
};

enum { NODES = 8, TEAMS = 64, ALL_PUS = 1024 };

#define THRESHOLD 2e7

/* A team is known by its bubble, which comes back with the region. */
static struct team {
	const struct fg_bubble *bubble;
	unsigned node, first, tried; /* node: for its next run; first: the first one tried; tried: how many were */
	double least;
	unsigned best;
	uint64_t moved; /* when it was told of too many last */
} teams[TEAMS];
static volatile char busy;

/* Nothing is called with it: on a simulated machine another PU may go on in the call, and spin here for ever. */
static void
lock(void)
{
	while (__atomic_test_and_set(&busy, __ATOMIC_ACQUIRE))
		;
}

static void
unlock(void)
{
	__atomic_clear(&busy, __ATOMIC_RELEASE);
}

/* New ones begin on this node. */
static struct team *
team_of(const struct fg_bubble *bubble, unsigned node)
{
	unsigned i = 0;
	while (i < TEAMS - 1 && teams[i].bubble && teams[i].bubble != bubble)
		i++;
	if (!teams[i].bubble)
		teams[i] = (struct team){bubble, node, node, 0, INFINITY, node, 0};
	return &teams[i];
}

static unsigned
node_of(const struct fg_runqueue *leaf)
{
	return fgomp_queue_node(leaf) < 0 ? 0 : (unsigned)fgomp_queue_node(leaf);
}

static struct fg_runqueue *
level_above(struct fg_runqueue *queue, enum fgomp_level kind)
{
	while (!fgomp_queue_is(queue, kind) && fgomp_queue_parent(queue))
		queue = fgomp_queue_parent(queue);
	return queue;
}

static struct fg_runqueue *
level_of_node(struct fg_runqueue *leaf, unsigned node)
{
	struct fg_runqueue *top = level_above(leaf, FGOMP_MACHINE);
	for (unsigned pu = 0; pu < fgomp_queue_n_pus(top); pu++)
		if (fgomp_queue_node(fgomp_queue_of_pu(top, pu)) == (int)node)
			return level_above(fgomp_queue_of_pu(top, pu), FGOMP_NUMA_NODE);
	return leaf;
}

static void
place(void *self, struct fg_bubble *team, struct fg_runqueue *top)
{
	struct fg_entity *member[ALL_PUS];
	unsigned pus = fgomp_queue_n_pus(top), n;
	(void)self;
	n = fgomp_bubble_burst(team, member);
	for (unsigned i = 0; i < n; i++)
		fgomp_put(member[i], fgomp_queue_of_pu(top, i * (pus / n) % pus));
}

static unsigned
node_of_areas(struct fg_bubble *bubble, unsigned node)
{
	size_t on[NODES];
	fgomp_entity_memory(fgomp_bubble_entity(bubble), true, on, NODES);
	for (unsigned i = 0; i < fgomp_nodes() && i < NODES; i++)
		if (on[i] > on[node])
			node = i;
	return node;
}

static struct fg_runqueue *
born(void *self, struct fg_bubble *bubble, struct fg_runqueue *range, struct fg_runqueue *leaf)
{
	const struct follows *follows = self;
	struct fg_entity *member[ALL_PUS];
	unsigned node = node_of(leaf);
	(void)range;
	if (follows->by == AREAS)
		node = node_of_areas(bubble, node);
	else {
		lock();
		node = team_of(bubble, node)->node;
		unlock();
	}
	/* Of a bubble that was not burst the thread which met the region would take members, wherever that lies. */
	unsigned n = fgomp_bubble_burst(bubble, member);
	for (unsigned i = 0; i < n; i++)
		fgomp_put(member[i], level_of_node(leaf, node));
	return NULL;
}

/* Each node is tried once. */
static void
ended(void *self, struct fg_bubble *bubble, struct fg_runqueue *leaf)
{
	const struct follows *follows = self;
	double events = fgomp_entity_events(fgomp_bubble_entity(bubble), true);
	unsigned node = node_of(leaf), nodes = fgomp_nodes();
	lock();
	struct team *team = team_of(bubble, node);
	if (follows->by == EVENTS && team->tried < nodes) {
		if (events < team->least) {
			team->least = events;
			team->best = team->node;
		}
		team->tried++;
		team->node = team->tried < nodes ? (team->first + team->tried) % nodes : team->best;
	}
	unlock();
}

/* One PU's share may be that of the thread which met a region: the node's in all counts, once for a look. */
static void
changed(void *self, enum fgomp_change change, struct fg_runqueue *level)
{
	static uint64_t last[NODES];
	const struct follows *follows = self;
	int node = fgomp_queue_node(level);
	unsigned nodes = fgomp_nodes();
	if (change != FGOMP_CHANGE_COUNTERS || follows->by != COUNTERS || node < 0 || node >= NODES)
		return;
	uint64_t now = fgomp_sched_now();
	if (now - last[node] < 1000000 || fgomp_queue_events(level_above(level, FGOMP_NUMA_NODE)) < 3 * THRESHOLD)
		return;
	last[node] = now;
	lock();
	for (unsigned i = 0; i < TEAMS && teams[i].bubble; i++)
		if (teams[i].node == (unsigned)node && now - teams[i].moved > 1000000) {
			teams[i].node = (teams[i].node + 1) % nodes;
			teams[i].moved = now;
		}
	unlock();
}

static enum fgomp_measure
measures(const void *self)
{
	return ((const struct follows *)self)->by == EVENTS ? FGOMP_MEASURE_EVENTS : FGOMP_MEASURE_NOTHING;
}

static void
counters(void *self, struct fgomp_counters *wanted)
{
	if (((const struct follows *)self)->by >= EVENTS)
		*wanted = (struct fgomp_counters){FGOMP_REMOTE_ACCESSES, THRESHOLD, 2000000};
}

static const char *const ways[] = {"nothing", "areas", "events", "counters", NULL};
static const struct fgomp_sched_option options[] = {
	{"by", "what it looks at", offsetof(struct follows, by), NOTHING, NOTHING, COUNTERS, ways},
	{0},
};

const struct fgomp_sched fgomp_sched_plugin = {
	.abi = FGOMP_SCHED_ABI,
	.name = "follows",
	.summary = "moves teams to where their data are",
	.size = sizeof(struct follows),
	.options = options,
	.measures = measures,
	.place = place,
	.born = born,
	.ended = ended,
	.idle = idle,
	.changed = changed,
	.counters = counters,
	.areas = true,
};
