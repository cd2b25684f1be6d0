/* Policy `memory`: threads go to the NUMA nodes of their data, as far as each node has PUs (floor: sched). Inside a
 * node `cache` distributes them.
 *
 * Broquedis, Aumage, Goglin, Thibault, Wacrenier, Namyst: Structuring the Execution of OpenMP Applications for
 * Multicore Architectures, IPDPS 2010, section IV.B. For a team of which data are known:
 * 1. Attraction: each entity belongs to the node with the most bytes of its data.
 * 2. Full PUs: a node keeps as many entities as it has PUs, or as its part of them where there are more. The entities
 *    with the fewest bytes leave it, for the node that has most of their other data, or that is emptiest.
 * 3. Data to their threads: what lies elsewhere is requested for the nodes of its users (request.h). Their members
 *    bring it when they begin, written data first.
 * `cache` starts on the nodes, and gets what is there (layer.h).
 *
 * Broquedis, Furmento, Goglin, Namyst, Wacrenier: Dynamic Task and Data Placement over NUMA Architectures: an OpenMP
 * Runtime Perspective, RenPar and IWOMP 2009, table 1: where the machine is idle but for one node, more memories serve
 * the threads of that node faster than its own alone. So a team that has one node goes on there, and its data go round
 * that node and the nearest ones.
 *
 * The paper leaves some points open. The choices here are:
 * - Without known data, a team is dealt as by `affinity`, and no layer starts.
 * - Data go round several nodes only where the same data were told many times, because that gains little.
 * - A thread whose data lie on several nodes, nearly as much on each, stays on the one of them where it was.
 * - Loads count inside the nodes alone, so learnt loads never part a thread from its data.
 * - A PU takes a member away from a node where its data lie only if that has lain there for long (rob.h). */
#include <stdlib.h>

#include "forest/bubble.h"
#include "memory/where.h"
#include "sched/attraction.h"
#include "sched/deal.h"
#include "sched/decision.h"
#include "sched/home.h"
#include "sched/in_force.h"
#include "sched/policy.h"
#include "sched/request.h"
#include "sched/rob.h"
#include "sched/steal.h"
#include "sched/stray.h"
#include "sched/untold.h"

#define INSIDE "cache"
#define NOWHERE (~0u)
#define MS 1e6
#define PERIOD_NS 25000000 /* the tree is locked so often at most: more often, each region would pay */

/* Words of the option `data`. Their numbers are those of enum fgomp_access. */
static const char *const brought[] = {"none", "read", "written", "all", NULL};
enum { ALL = 3 };

struct memory {
	double threads, data, spread, patience, follow;
	struct fg_strays strays;
	struct fg_atomic_u32 at_work; /* 1: layers have started, because data are known */
};

/* A NUMA node of the policy's part of the machine. */
struct node {
	struct fg_runqueue *level;
	unsigned number, pus, room, n; /* room: for so many entities; n: how many it has */
};

/* The entities of a team, on their way to the nodes. */
struct way {
	void *self;
	struct node *nodes;
	unsigned n_nodes;
	struct fg_entity **entity;
	unsigned n;
	unsigned *to; /* [entity]: its node; NOWHERE: none so far */
	struct fg_attraction attraction;
};

/* ---- Nodes ---- */

/* The outermost levels that have one node's memory near. Returns how many, also beyond `room`. */
static unsigned
collect(struct fg_runqueue *level, struct node *nodes, unsigned room)
{
	if (fgomp_queue_is(level, FGOMP_NUMA_NODE) && fgomp_queue_node(level) >= 0) {
		if (room)
			*nodes = (struct node){.level = level,
					       .number = (unsigned)fgomp_queue_node(level),
					       .pus = fgomp_queue_n_pus(level)};
		return 1;
	}
	unsigned n = 0;
	for (unsigned c = 0; c < fgomp_queue_n_children(level); c++)
		n += collect(fgomp_queue_child(level, c), nodes + (n < room ? n : room), n < room ? room - n : 0);
	return n;
}

static bool
lies_below(const struct fg_runqueue *leaf, const struct fg_runqueue *level)
{
	return leaf && fgomp_queue_first_pu(leaf) - fgomp_queue_first_pu(level) < fgomp_queue_n_pus(level);
}

/* The threads that each entity will be, as far as the last run of its team's region tells. */
static unsigned
threads_each(const struct way *way)
{
	const struct fg_bubble *team = fgomp_entity_bubble(way->entity[0]) ? NULL : way->entity[0]->bubble;
	return team && team->habits.below ? team->habits.below : 1;
}

/* The encountering thread has one of the PUs. A node has room for as many entities as its PUs have threads, and at
 * least for its part of them. */
static void
make_room(struct way *way, const struct fg_runqueue *leaf)
{
	unsigned pus = 0, entities = way->n + (leaf != NULL), each = threads_each(way);
	for (unsigned c = 0; c < way->n_nodes; c++)
		pus += way->nodes[c].pus;
	for (unsigned c = 0; c < way->n_nodes; c++) {
		struct node *node = &way->nodes[c];
		unsigned part = (entities * node->pus + pus - 1) / pus, fit = node->pus / each;
		node->room = fit > part ? fit : part;
		node->n = lies_below(leaf, node->level);
	}
}

/* ---- Attraction ---- */

static size_t
bytes_at(const struct way *way, unsigned i, unsigned c)
{
	unsigned number = way->nodes[c].number;
	return number < way->attraction.n_nodes ? fg_attraction_at(&way->attraction, i)[number] : 0;
}

/* The node where the entity ran last; NOWHERE: it did not run on any of them. */
static unsigned
last_node(const struct way *way, unsigned i)
{
	int pu = fgomp_entity_last_pu(way->entity[i]);
	for (unsigned c = 0; pu >= 0 && c < way->n_nodes; c++)
		if ((unsigned)pu - fgomp_queue_first_pu(way->nodes[c].level) < way->nodes[c].pus)
			return c;
	return NOWHERE;
}

/* Of two sums of bytes, a sample of pages tells no less difference apart. */
static bool
is_nearly(size_t bytes, size_t most)
{
	return bytes >= most - most / 4;
}

/* The node with the most bytes of the entity's data, of those with room if that is asked; NOWHERE: none has any. */
static unsigned
home_of(const struct way *way, unsigned i, bool with_room)
{
	unsigned most = NOWHERE, last = last_node(way, i);
	for (unsigned c = 0; c < way->n_nodes; c++) {
		if ((with_room && way->nodes[c].n >= way->nodes[c].room) || bytes_at(way, i, c) == 0)
			continue;
		if (most == NOWHERE || bytes_at(way, i, c) > bytes_at(way, i, most))
			most = c;
	}
	bool stays = most != NOWHERE && last != NOWHERE && (!with_room || way->nodes[last].n < way->nodes[last].room) &&
		     is_nearly(bytes_at(way, i, last), bytes_at(way, i, most));
	return stays ? last : most;
}

static void
attract(struct way *way)
{
	for (unsigned i = 0; i < way->n; i++)
		if ((way->to[i] = home_of(way, i, false)) != NOWHERE)
			way->nodes[way->to[i]].n++;
}

/* The baseline: threads stay on the node where their team was met, and only data move. */
static void
stay(struct way *way, const struct fg_runqueue *leaf)
{
	for (unsigned i = 0; i < way->n; i++) {
		way->to[i] = NOWHERE;
		for (unsigned c = 0; c < way->n_nodes; c++)
			if (lies_below(leaf, way->nodes[c].level))
				way->to[i] = c;
		if (way->to[i] != NOWHERE)
			way->nodes[way->to[i]].n++;
	}
}

/* ---- Full PUs ---- */

/* Of the entities on the node, the one with the fewest bytes there; of several, the last. */
static unsigned
least_attached(const struct way *way, unsigned c)
{
	unsigned least = NOWHERE;
	for (unsigned i = 0; i < way->n; i++)
		if (way->to[i] == c && (least == NOWHERE || bytes_at(way, i, c) <= bytes_at(way, least, c)))
			least = i;
	return least;
}

static unsigned
emptiest(const struct way *way)
{
	unsigned least = 0;
	for (unsigned c = 1; c < way->n_nodes; c++)
		if (way->nodes[c].n * way->nodes[least].room < way->nodes[least].n * way->nodes[c].room)
			least = c;
	return least;
}

static void
put_elsewhere(struct way *way, unsigned i)
{
	unsigned c = home_of(way, i, true);
	if (c == NOWHERE)
		c = last_node(way, i);
	if (c == NOWHERE || way->nodes[c].n >= way->nodes[c].room)
		c = emptiest(way);
	way->to[i] = c;
	way->nodes[c].n++;
}

static void
fill(struct way *way)
{
	for (unsigned c = 0; c < way->n_nodes; c++)
		while (way->nodes[c].n > way->nodes[c].room) {
			unsigned i = least_attached(way, c);
			if (i == NOWHERE)
				break;
			way->nodes[c].n--;
			way->to[i] = NOWHERE;
		}
	for (unsigned i = 0; i < way->n; i++)
		if (way->to[i] == NOWHERE)
			put_elsewhere(way, i);
}

/* ---- Data ---- */

/* The team has one node, and the machine has no other threads. NOWHERE: not so. */
static unsigned
only_node(const struct way *way, const struct fg_bubble *team)
{
	unsigned long threads = team->size;
	for (const struct fg_bubble *around = team->entity.bubble; around; around = around->entity.bubble)
		threads *= around->size;
	for (unsigned i = 1; i < way->n; i++)
		if (way->to[i] != way->to[0])
			return NOWHERE;
	return threads <= way->nodes[way->to[0]].pus ? way->to[0] : NOWHERE;
}

/* The nodes nearest to the team's only node, a bit for each: they serve its data, too. 0: there are none. */
static uint64_t
servers(const struct way *way)
{
	const struct memory *memory = way->self;
	const struct fg_bubble *team = fgomp_entity_bubble(way->entity[0]) ? NULL : way->entity[0]->bubble;
	unsigned own = team && team->habits.settled && memory->spread > 0 ? only_node(way, team) : NOWHERE;
	if (own == NOWHERE)
		return 0;
	unsigned local = fg_where_distance(way->nodes[own].number, way->nodes[own].number), least = local * 3 / 2;
	uint64_t nodes = 0;
	for (unsigned c = 0; c < way->n_nodes; c++) {
		unsigned far = fg_where_distance(way->nodes[own].number, way->nodes[c].number);
		if (c == own || !far || far > least || way->nodes[c].number >= 64)
			continue;
		nodes = far < least ? 0 : nodes;
		least = far;
		nodes |= UINT64_C(1) << way->nodes[c].number;
	}
	return nodes;
}

/* Data to their threads. */
static void
request(const struct way *way)
{
	const struct memory *memory = way->self;
	int *node = fgomp_memory_get(way->n * sizeof *node);
	for (unsigned i = 0; node && i < way->n; i++)
		node[i] = (int)way->nodes[way->to[i]].number;
	if (node)
		fg_request_data(way->entity, node, way->n, (unsigned)memory->data, servers(way));
	fgomp_memory_free(node);
}

/* ---- Inside the nodes ---- */

static void
hand(struct way *way, unsigned c, struct fg_entity **of_node)
{
	struct fg_runqueue *level = way->nodes[c].level;
	unsigned n = 0;
	for (unsigned i = 0; i < way->n; i++)
		if (way->to[i] == c)
			of_node[n++] = way->entity[i];
	if (n && !fgomp_queue_hands_over(way->self, level))
		fgomp_layer_start(way->self, level, INSIDE);
	fg_reason("the node of its data");
	fgomp_hand_over(way->self, of_node, n, level);
}

static bool
is_above_nodes(const struct way *way)
{
	return way->n_nodes > 1 && way->attraction.bytes;
}

/* Sends the entities to the nodes of their data. false: no data are known, and nothing is done. */
static bool
send(void *self, struct fg_entity **entity, unsigned n, struct fg_runqueue *top, struct fg_runqueue *leaf)
{
	struct memory *memory = self;
	struct way way = {.self = self, .entity = entity, .n = n, .n_nodes = collect(top, NULL, 0)};
	bool sent = false;
	way.nodes = fgomp_memory_get(way.n_nodes * sizeof *way.nodes);
	way.to = fgomp_memory_get(n * sizeof *way.to);
	struct fg_entity **of_node = fgomp_memory_get(n * sizeof(struct fg_entity *));
	if (way.nodes && way.to && of_node) {
		collect(top, way.nodes, way.n_nodes);
		way.attraction = fg_attraction_of(entity, n);
		sent = is_above_nodes(&way);
	}
	if (sent) {
		if (!fg_load_relaxed(&memory->at_work))
			fg_strays_heed(&memory->strays);
		fg_store_relaxed(&memory->at_work, 1);
		make_room(&way, leaf);
		if (memory->threads > 0)
			attract(&way);
		else
			stay(&way, leaf);
		fill(&way);
		request(&way);
		for (unsigned c = 0; c < way.n_nodes; c++)
			hand(&way, c, of_node);
	}
	fg_attraction_free(&way.attraction);
	fgomp_memory_free(of_node);
	fgomp_memory_free(way.to);
	fgomp_memory_free(way.nodes);
	return sent;
}

/* ---- The policy ---- */

/* A `below`: the data first, at the level where a team was burst. */
static void
distribute(struct fg_deal *deal)
{
	if (!send((void *)deal->self, deal->entity, deal->n, deal->level, deal->taken))
		fg_deal_to_pus(deal);
}

static void
place(void *self, struct fg_bubble *team, struct fg_runqueue *top)
{
	struct fg_deal deal = {.self = self, .level = top};
	const struct memory *memory = self;
	fg_deal_bubble(&deal, team, team->areas && memory->threads > 0 ? distribute : fg_deal_to_pus);
}

static struct fg_runqueue *
born(void *self, struct fg_bubble *bubble, struct fg_runqueue *range, struct fg_runqueue *leaf)
{
	struct fg_deal deal = {.self = self, .level = range, .taken = leaf, .back = true};
	struct fg_home_plan plan = {0};
	if (bubble->areas)
		deal.level = fg_home_top(self, leaf);
	else if (fg_home_begin(self, bubble, leaf, 0, &plan)) {
		deal.level = plan.level;
		deal.taken = plan.leaf;
		deal.open = plan.open;
	}
	if (deal.level == leaf) {
		fg_reason("the thread that met it has one PU for itself");
		return leaf;
	}
	fg_deal_bubble(&deal, bubble, bubble->areas ? distribute : fg_deal_to_pus);
	fgomp_memory_free(plan.open);
	return NULL;
}

/* Inside a node `cache` has looked before. */
static bool
idle(void *self, struct fg_runqueue *leaf, unsigned turn, struct fg_claim *claim)
{
	const struct memory *memory = self;
	if (!fg_load_relaxed(&memory->at_work))
		return fg_rob_may(self, leaf) ? fg_rob_idle(self, leaf, turn, claim, false)
					      : fg_steal_idle(self, leaf, turn, claim);
	if (fg_untold_take(self, leaf, turn, claim))
		return true;
	return !fg_strays_settle(&memory->strays) &&
	       fg_rob_lasting(self, leaf, turn, claim, (uint64_t)(memory->patience * MS));
}

/* As a layer inside another policy: what it gets goes to the nodes there. */
static void
handed(void *self, const struct fgomp_handed *handed)
{
	struct fg_deal deal = {.self = self};
	fg_deal_handed(&deal, handed, distribute);
}

static void
changed(void *self, enum fgomp_change change, struct fg_runqueue *level)
{
	struct memory *memory = self;
	(void)level;
	if (change == FGOMP_CHANGE_AFFINITY)
		fg_strays_heed(&memory->strays);
}

/* As a layer inside another policy it leaves threads in flight to that. */
static double
strain(void *self, struct fg_runqueue *top)
{
	struct memory *memory = self;
	return fg_policy.self == self ? fg_strays_share(&memory->strays, top) : 0;
}

static bool
redistribute(void *self, enum fgomp_occasion why, struct fg_runqueue *level)
{
	struct memory *memory = self;
	(void)why;
	if (fg_policy.self != self || !fg_strays_send(&memory->strays, level))
		return false;
	fg_store_relaxed(&memory->at_work, 1);
	return true;
}

static bool
redistributes(const void *self)
{
	return ((const struct memory *)self)->follow > 0;
}

static const struct fgomp_sched_option options[] = {
	{"threads", "threads go to their data; no: they stay, and their data come", offsetof(struct memory, threads), 1,
	 0, 1, NULL},
	{"data", "which data come to their threads: none, those that are read, those that are written, or all",
	 offsetof(struct memory, data), ALL, 0, ALL, brought},
	{"spread", "on an idle machine, the data of a team that has one node go round that and the nearest nodes",
	 offsetof(struct memory, spread), 1, 0, 1, NULL},
	{"patience", "milliseconds that a member lies at its data before a PU of another node takes it",
	 offsetof(struct memory, patience), 0.2, 0, 60000, NULL},
	{"follow", "threads in flight exchange their PUs where that brings them to their data",
	 offsetof(struct memory, follow), 1, 0, 1, NULL},
	{0},
};

static const char *const starts[] = {INSIDE, NULL};

const struct fgomp_sched fg_sched_memory = {
	.abi = FGOMP_SCHED_ABI,
	.name = "memory",
	.summary = "threads go to the NUMA nodes of their data, and cache distributes them there (IPDPS 2010)",
	.size = sizeof(struct memory),
	.options = options,
	.place = place,
	.born = born,
	.idle = idle,
	.handed = handed,
	.changed = changed,
	.redistribute = redistribute,
	.redistributes = redistributes,
	.redistribute_period = PERIOD_NS,
	.occasions = 1u << FGOMP_PERIOD_OVER,
	.strain = strain,
	.starts = starts,
	.areas = true,
};
