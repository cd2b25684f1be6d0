/* A scheduler that does little, and prints at the end the figures of memory and counters that it was shown: "memory
 * BYTES ON_NODE_0 ..." of a new bubble, "area AREAS BYTES" when a block of an allocator comes or goes, "counters TIME
 * PU RATE OF_ITS_NODE", "slice TIME PU MEMBERS". */
#include "idle.h"
#include "tell.h"
#include <forestgomp/sched.h>

struct looks {
	double event, threshold, period;
};

static void
place(void *self, struct fg_bubble *team, struct fg_runqueue *top)
{
	struct fg_entity *member[64];
	(void)self;
	unsigned n = fgomp_bubble_burst(team, member);
	for (unsigned i = 0; i < n; i++)
		fgomp_put(member[i], fgomp_queue_of_pu(top, i % fgomp_queue_n_pus(top)));
}

static struct fg_runqueue *
born(void *self, struct fg_bubble *bubble, struct fg_runqueue *range, struct fg_runqueue *leaf)
{
	size_t on[8];
	double values[9];
	(void)self;
	(void)range;
	unsigned nodes = fgomp_nodes();
	values[0] = (double)fgomp_entity_memory(fgomp_bubble_entity(bubble), true, on, 8);
	for (unsigned i = 0; i < nodes && i < 8; i++)
		values[i + 1] = (double)on[i];
	tell("memory", values, 1 + nodes);
	return leaf;
}

static struct fg_runqueue *
node_of(struct fg_runqueue *queue)
{
	while (!fgomp_queue_is(queue, FGOMP_NUMA_NODE) && fgomp_queue_parent(queue))
		queue = fgomp_queue_parent(queue);
	return queue;
}

static void
changed(void *self, enum fgomp_change change, struct fg_runqueue *level)
{
	struct fgomp_area areas[8];
	(void)self;
	if (change == FGOMP_CHANGE_AREA)
		tell("area",
		     (double[]){fgomp_entity_areas(NULL, true, areas, 8),
				(double)fgomp_entity_memory(NULL, true, NULL, 0)},
		     2);
	else if (change == FGOMP_CHANGE_COUNTERS)
		tell("counters",
		     (double[]){(double)fgomp_sched_now(), fgomp_queue_first_pu(level), fgomp_queue_events(level),
				fgomp_queue_events(node_of(level))},
		     4);
}

static void
slice(void *self, struct fg_bubble *bubble, struct fg_runqueue *leaf)
{
	(void)self;
	tell("slice", (double[]){(double)fgomp_sched_now(), fgomp_queue_first_pu(leaf), fgomp_bubble_entities(bubble)},
	     3);
}

static void
counters(void *self, struct fgomp_counters *wanted)
{
	const struct looks *looks = self;
	*wanted = (struct fgomp_counters){(enum fgomp_event)looks->event, looks->threshold, (uint64_t)looks->period};
}

static const struct fgomp_sched_option options[] = {
	{"event", "1 remote accesses, 2 cache misses, 3 page faults", offsetof(struct looks, event), 0, 0, 3, NULL},
	{"threshold", "events a second", offsetof(struct looks, threshold), 0, 0, 1e18, NULL},
	{"period", "nanoseconds", offsetof(struct looks, period), 0, 0, 1e12, NULL},
	{0},
};

const struct fgomp_sched fgomp_sched_plugin = {
	.abi = FGOMP_SCHED_ABI,
	.name = "looks",
	.summary = "tells what it was shown of memory",
	.size = sizeof(struct looks),
	.options = options,
	.place = place,
	.born = born,
	.idle = idle,
	.slice = slice,
	.changed = changed,
	.counters = counters,
	.areas = true,
};
