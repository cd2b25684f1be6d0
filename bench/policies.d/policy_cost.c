/* The cost of the policies' own work, on machines that are only made up: see bench/policies.
 *
 * No other thread runs, and none is woken. So this is the time of the code alone, with the locks free. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../programs/bench.h"
#include "forest/check.h"
#include "forest/move.h"
#include "machine/machine.h"
#include "memory/area.h"
#include "memory/where.h"
#include "sched/layer.h"
#include "sched/policy.h"
#include "sched/world.h"

#define ROUNDS 201

static struct fg_runqueue *
queue_new(const struct fg_level *level, struct fg_runqueue *parent)
{
	struct fg_runqueue *queue = aligned_alloc(64, sizeof *queue);
	fg_runqueue_init(queue, parent, level->first_pu, level->n_pus);
	queue->kinds = level->kinds;
	if (level->n_children == 0)
		return queue;
	struct fg_runqueue_list *list = malloc(sizeof *list + level->n_children * sizeof *list->queue);
	list->n = level->n_children;
	for (unsigned i = 0; i < list->n; i++)
		list->queue[i] = queue_new(level->children[i], queue);
	fg_store_relaxed(&queue->below, list);
	return queue;
}

static struct fg_runqueue *
machine_new(const char *text)
{
	const char *why;
	struct fg_machine *machine = fg_machine_synthetic(text, &why);
	struct fg_runqueue *top = queue_new(machine->root, NULL);
	fg_machine_free(machine);
	return top;
}

/* The bubble has run once, so its members are known: member k ran on PU `pu` + k. */
static void
bubble_make(struct fg_bubble *bubble, struct fg_bubble *parent, unsigned threads, unsigned pu)
{
	struct fg_entity *free[16];
	memset(bubble, 0, sizeof *bubble);
	fg_bubble_init(bubble, threads + 1);
	bubble->entity.bubble = parent;
	bubble->entity.last_pu = FG_NO_PU;
	bubble->depth = parent ? parent->depth + 1 : 0;
	unsigned n = fg_bubble_burst(bubble, free);
	for (unsigned k = 0; k < n; k++)
		free[k]->last_pu = (uint16_t)(pu + k);
	fg_bubble_init(bubble, threads + 1);
}

static void
fail(const char *what)
{
	fprintf(stderr, "policy_cost: %s; the figures are worth nothing\n", what);
	exit(1);
}

static void
report(const char *what, const char *policy, struct bench_samples *samples, double wanted)
{
	bench_samples_sort(samples);
	printf("%-36s %-9s %10.3f %10.3f %8g  %s\n", what, policy, bench_min(samples) / 1e3,
	       bench_median(samples) / 1e3, wanted, bench_median(samples) / 1e3 <= wanted ? "met" : "missed");
}

/* ---- 1,000 bubbles in one, on 256 PUs ---- */

#define BUBBLES 1000

static struct fg_bubble root, bubbles[BUBBLES];

struct forest {
	const char *what;
	unsigned fewest, most; /* threads of a bubble */
	unsigned fork;	       /* each bubble contains so many others; 0: all lie in one */
};

static const struct forest forests[] = {
	{"1000 bubbles of 4 on 256 PUs", 4, 4, 0},
	{"1000 bubbles of 1 to 7", 1, 7, 0},
	{"1000 bubbles of 4, nested 4 by 4", 4, 4, 4},
	{"1000 bubbles of 4, nested 2 by 2", 4, 4, 2},
	{"1000 bubbles of 4, in a chain", 4, 4, 1},
};

static struct fg_bubble *
parent_of(const struct forest *forest, unsigned i)
{
	return i < forest->fork || !forest->fork ? &root : &bubbles[i / forest->fork - 1];
}

static unsigned
threads_of(const struct forest *forest, unsigned i)
{
	return forest->fewest + i * 37 / 10 % (forest->most - forest->fewest + 1);
}

static unsigned
forest_make(const struct forest *forest)
{
	unsigned threads = 0;
	memset(&root, 0, sizeof root);
	for (unsigned i = 0; i < BUBBLES; i++) {
		bubble_make(&bubbles[i], parent_of(forest, i), threads_of(forest, i), i * 37 % 250);
		threads += threads_of(forest, i);
	}
	return threads;
}

static void
queues_empty(struct fg_runqueue *level)
{
	fg_holder_init(&level->holder, NULL);
	for (unsigned c = 0; c < fgomp_queue_n_children(level); c++)
		queues_empty(fgomp_queue_child(level, c));
}

/* All bubbles go into the root, which lies nowhere. */
static void
forest_set(const struct forest *forest)
{
	fg_bubble_init(&root, 1);
	for (unsigned i = 0; i < BUBBLES; i++) {
		fg_bubble_init(&bubbles[i], threads_of(forest, i) + 1);
		if (bubbles[i].content)
			fg_holder_init(bubbles[i].content, &bubbles[i]);
	}
	for (unsigned i = 0; i < BUBBLES; i++)
		fg_bubble_put_locked(parent_of(forest, i), &bubbles[i].entity);
}

static void
distribute(const struct forest *forest, const struct fgomp_sched *sched)
{
	struct fg_runqueue *top = machine_new("numa:8 l3:4 core:8 pu:1"), *leaf = fgomp_queue_of_pu(top, 0);
	struct bench_samples samples = {.count = ROUNDS};
	const char *why;
	fg_policy_start(&fg_policy, sched, NULL, &why);
	unsigned threads = forest_make(forest);
	for (int round = 0; round < samples.count; round++) {
		queues_empty(top);
		forest_set(forest);
		double start = bench_now();
		fg_policy_born(&root, top, leaf);
		samples.ns[round] = bench_now() - start;
		if (fg_runqueue_threads(top) != threads || fg_runqueue_check(top))
			fail("the bubbles were not all distributed");
	}
	report(forest->what, sched->name, &samples, 1000);
	for (unsigned i = 0; i < BUBBLES; i++)
		fg_bubble_free(&bubbles[i]);
	fg_bubble_free(&root);
	fg_policy_stop(&fg_policy);
}

/* ---- The same, each bubble with data of its own on some node ---- */

#define NODES 8
#define AREA ((uintptr_t)1 << 16)

static struct fg_policy inside; /* the pattern of the policy in each node */
static struct fg_runqueue *asked_for;
static bool one_node;
static unsigned questions;

static unsigned
made_up_nodes(void)
{
	return NODES;
}

/* A question waits for the kernel. So it takes the locks that nobody may hold meanwhile: under one of them the
 * benchmark would have no end. */
static bool
made_up_ask(unsigned n, void *const *pages, int *node)
{
	fgomp_queue_lock(asked_for);
	fgomp_queue_unlock(asked_for);
	fg_areas_lock();
	fg_areas_unlock();
	questions++;
	for (unsigned i = 0; i < n; i++)
		node[i] = one_node ? 3 : (int)((uintptr_t)pages[i] / AREA * 5 % NODES);
	return true;
}

static const struct fg_where made_up = {.nodes = made_up_nodes, .ask = made_up_ask};

static void
nodes_number(struct fg_runqueue *top)
{
	for (unsigned c = 0; c < fgomp_queue_n_children(top); c++)
		fgomp_queue_child(top, c)->node = (int)c;
}

static void
attach(const void *team, uintptr_t start)
{
	struct fg_attachment what = {.team = team, .member = FG_ALL_MEMBERS, .access = 3};
	struct fg_area_stuff stuff;
	if (!fg_area_stuff(&stuff))
		fail("there is no memory");
	fg_areas_lock();
	fg_area_stock_locked(stuff);
	fg_attach_locked(start, start + AREA, &what);
	fg_areas_unlock();
}

static void
data_attach(bool attached)
{
	for (unsigned i = 0; i <= BUBBLES; i++) {
		struct fg_bubble *bubble = i < BUBBLES ? &bubbles[i] : &root;
		fg_areas_lock();
		fg_detach_team_locked(bubble);
		fg_areas_unlock();
		bubble->areas = attached ? bubble : NULL;
		if (attached)
			attach(bubble, (i + 1) * AREA);
	}
}

static bool
is_any(const struct fg_area *area, const void *arg)
{
	(void)area;
	(void)arg;
	return true;
}

/* fresh: it is known where the areas lie. Otherwise all are asked about in each round. */
static void
distribute_data(const char *what, bool on_one_node, bool fresh, double wanted)
{
	static const struct forest forest = {"", 4, 4, 0};
	struct fg_runqueue *top = machine_new("numa:8 l3:4 core:8 pu:1"), *leaf = fgomp_queue_of_pu(top, 0);
	struct bench_samples samples = {.count = ROUNDS};
	const char *why;
	one_node = on_one_node;
	asked_for = top;
	fg_where = &made_up;
	nodes_number(top);
	fg_policy_start(&fg_policy, &fg_sched_memory, NULL, &why);
	fg_policy_start(&inside, &fg_sched_cache, NULL, &why);
	if (!fg_layer_offer("cache", &inside))
		fail("there is no memory");
	fg_policies.layered = true;
	unsigned threads = forest_make(&forest);
	for (int round = 0; round < samples.count; round++) {
		queues_empty(top);
		forest_set(&forest);
		data_attach(true);
		if (fresh)
			fg_areas_ask(is_any, NULL);
		questions = 0;
		double start = bench_now();
		fg_policy_born(&root, top, leaf);
		samples.ns[round] = bench_now() - start;
		if (fresh && questions > 0) { /* the system took so long that all were asked about again */
			round--;
			continue;
		}
		if (fg_runqueue_threads(top) != threads || fg_runqueue_check(top) || (!fresh && questions < BUBBLES))
			fail("the bubbles were not all distributed by their data");
	}
	report(what, "memory", &samples, wanted);
	data_attach(false);
	for (unsigned i = 0; i < BUBBLES; i++)
		fg_bubble_free(&bubbles[i]);
	fg_bubble_free(&root);
	fg_policy_stop(&fg_policy);
}

/* ---- A steal: of 16 PUs, PU 0 has work and PU 15 has none. One steal is too short, so there is one on each of many
 * machines ---- */

#define MACHINES 64

static struct {
	struct fg_runqueue *top;
	struct fg_bubble bubble[4];
} stage[MACHINES];

static uint64_t
random_number(void)
{
	static uint64_t dice = 88172645463325252;
	dice ^= dice << 13;
	dice ^= dice >> 7;
	dice ^= dice << 17;
	return dice;
}

static void
stage_set(unsigned n_bubbles)
{
	for (unsigned m = 0; m < MACHINES; m++)
		for (unsigned i = 0; i < n_bubbles; i++) {
			struct fg_bubble *bubble = &stage[m].bubble[i];
			struct fg_holder *holder = fg_load_relaxed(&bubble->entity.holder);
			if (holder)
				fg_holder_remove_locked(holder, &bubble->entity);
			fg_bubble_init(bubble, 5);
			fg_runqueue_push(fgomp_queue_of_pu(stage[m].top, 0), &bubble->entity);
		}
}

static double
steal_all(void)
{
	double start = bench_now();
	for (unsigned m = 0; m < MACHINES; m++) {
		struct fg_claim claim = {0};
		unsigned turn = 0;
		while (!fg_policy_idle(fgomp_queue_of_pu(stage[m].top, 15), turn, &claim))
			turn++;
	}
	return (bench_now() - start) / MACHINES;
}

static void
steal(const char *what, const struct fgomp_sched *sched, unsigned n_bubbles)
{
	struct bench_samples samples = {.count = ROUNDS};
	const char *why;
	fg_policy_start(&fg_policy, sched, NULL, &why);
	for (unsigned m = 0; m < MACHINES; m++) {
		stage[m].top = machine_new("numa:4 core:4 pu:1");
		memset(stage[m].bubble, 0, sizeof stage[m].bubble);
	}
	for (int round = 0; round < samples.count; round++) {
		stage_set(n_bubbles);
		samples.ns[round] = steal_all();
		for (unsigned m = 0; m < MACHINES; m++)
			if (fg_runqueue_threads(stage[m].top) != 4 * n_bubbles - 1)
				fail("a steal took something else than one thread");
	}
	report(what, sched->name, &samples, 1);
	fg_policy_stop(&fg_policy);
}

/* ---- A thread from one runqueue to another ---- */

#define MOVES 1000

static void
move(void)
{
	struct fg_runqueue *top = machine_new("numa:4 core:4 pu:1");
	struct fg_runqueue *at = fgomp_queue_of_pu(top, 0), *to = fgomp_queue_of_pu(top, 15);
	struct fg_entity thread = {.kind = FG_ENTITY_THREAD, .last_pu = FG_NO_PU};
	struct bench_samples samples = {.count = ROUNDS};
	fg_runqueue_push(at, &thread);
	for (int round = 0; round < samples.count; round++) {
		double start = bench_now();
		for (unsigned i = 0; i < MOVES; i++) {
			fgomp_queue_lock(at);
			fgomp_take(&thread);
			fgomp_queue_unlock(at);
			fgomp_put(&thread, to);
			struct fg_runqueue *was = at;
			at = to;
			to = was;
		}
		samples.ns[round] = (bench_now() - start) / MOVES;
	}
	if (fg_runqueue_threads(top) != 1 || fg_runqueue_check(top))
		fail("the thread was lost");
	report("a thread to another runqueue", "", &samples, 0.06);
}

int
main(void)
{
	fg_world.random = random_number;
	printf("%-36s %-9s %10s %10s %8s\n", "us, of 201 rounds", "", "minimum", "median", "wanted");
	const struct fgomp_sched *deals[] = {&fg_sched_affinity, &fg_sched_cache};
	for (unsigned i = 0; i < sizeof forests / sizeof *forests; i++)
		for (unsigned k = 0; k < 2; k++)
			distribute(&forests[i], deals[k]);
	distribute_data("1000 bubbles with data, on 8 nodes", false, true, 2000);
	distribute_data("1000 bubbles with data, all on one", true, true, 2000);
	distribute_data("the same, where nothing was asked", true, false, 20000);
	const struct fgomp_sched *thieves[] = {&fg_sched_steal, &fg_sched_random, &fg_sched_affinity, &fg_sched_cache};
	for (unsigned i = 0; i < 4; i++) {
		steal("a steal from 1 of 16 PUs, 4 bubbles", thieves[i], 4);
		steal("a steal, one bubble", thieves[i], 1);
	}
	move();
	return 0;
}
