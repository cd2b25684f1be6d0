/* A scheduler that does little, and prints at the end the figures that it was shown: "place LOAD...", "outer THREADS
 * WAITING EXPECTED" of the bubble around one that is born, "born EXPECTED LOAD...", "ended CPU_TIME OWN ENTITY",
 * "events WHOLE OWN". Everything that a member of the outermost team meets runs on its PU. */
#include "idle.h"
#include "tell.h"
#include <forestgomp/sched.h>

struct sees {
	double measure, event;
};

static enum fgomp_measure
measures(const void *self)
{
	const struct sees *sees = self;
	static const enum fgomp_measure wanted[] = {FGOMP_MEASURE_NOTHING, FGOMP_MEASURE_LOADS, FGOMP_MEASURE_CPU_TIME,
						    FGOMP_MEASURE_EVENTS};
	return wanted[(int)sees->measure];
}

static void
counters(void *self, struct fgomp_counters *wanted)
{
	const struct sees *sees = self;
	*wanted = (struct fgomp_counters){(enum fgomp_event)sees->event, 1e18, 0};
}

static void
place(void *self, struct fg_bubble *team, struct fg_runqueue *top)
{
	struct fg_entity *member[64];
	double loads[64];
	(void)self;
	unsigned n = fgomp_bubble_burst(team, member);
	for (unsigned i = 0; i < n; i++) {
		loads[i] = fgomp_entity_load(member[i]);
		fgomp_put(member[i], fgomp_queue_of_pu(top, i % fgomp_queue_n_pus(top)));
	}
	tell("place", loads, n);
}

static struct fg_runqueue *
born(void *self, struct fg_bubble *bubble, struct fg_runqueue *range, struct fg_runqueue *leaf)
{
	struct fgomp_bubble_statistics all, outer = {0};
	struct fg_bubble *around = fgomp_entity_parent(fgomp_bubble_entity(bubble));
	double values[65];
	(void)self;
	(void)range;
	fgomp_queue_lock(leaf);
	fgomp_bubble_statistics(bubble, leaf, true, &all);
	if (around)
		fgomp_bubble_statistics(around, leaf, false, &outer);
	fgomp_queue_unlock(leaf);
	tell("outer",
	     (double[]){outer.threads, around ? fgomp_entity_threads(fgomp_bubble_entity(around)) : 0, outer.expected},
	     3);
	values[0] = all.expected;
	for (unsigned k = 0; k < all.threads && k < 64; k++)
		values[k + 1] = fgomp_bubble_member_load(bubble, k);
	tell("born", values, all.threads + 1);
	return leaf;
}

static void
ended(void *self, struct fg_bubble *bubble, struct fg_runqueue *leaf)
{
	struct fgomp_bubble_statistics all, own;
	const struct sees *sees = self;
	const struct fg_entity *entity = fgomp_bubble_entity(bubble);
	fgomp_queue_lock(leaf);
	fgomp_bubble_statistics(bubble, leaf, true, &all);
	fgomp_bubble_statistics(bubble, leaf, false, &own);
	fgomp_queue_unlock(leaf);
	tell("ended", (double[]){(double)all.cpu_time, (double)own.cpu_time, (double)fgomp_entity_cpu_time(entity)}, 3);
	if (sees->measure > 2 || sees->event > 0)
		tell("events", (double[]){fgomp_entity_events(entity, true), fgomp_entity_events(entity, false)}, 2);
}

static const struct fgomp_sched_option options[] = {
	{"measure", "0 nothing, 1 loads, 2 times, 3 events", offsetof(struct sees, measure), 0, 0, 3, NULL},
	{"event", "1 remote accesses, 2 cache misses, 3 page faults", offsetof(struct sees, event), 0, 0, 3, NULL},
	{0},
};

const struct fgomp_sched fgomp_sched_plugin = {
	.abi = FGOMP_SCHED_ABI,
	.name = "sees",
	.summary = "tells what it was shown",
	.size = sizeof(struct sees),
	.options = options,
	.measures = measures,
	.counters = counters,
	.place = place,
	.born = born,
	.ended = ended,
	.idle = idle,
};
