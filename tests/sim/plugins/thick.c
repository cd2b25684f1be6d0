/* A scheduler that tells, at the end of each nested region, how strongly its members cooperated: "thick SIZE
 * FIGURE". */
#include <forestgomp/sched.h>
#include <stdio.h>

struct thick {
	double asks;
};

static enum fgomp_measure
measures(const void *self)
{
	return ((const struct thick *)self)->asks > 0 ? FGOMP_MEASURE_COOPERATION : FGOMP_MEASURE_CPU_TIME;
}

static struct fg_runqueue *
born(void *self, struct fg_bubble *bubble, struct fg_runqueue *range, struct fg_runqueue *leaf)
{
	(void)self, (void)bubble, (void)range;
	while (fgomp_queue_parent(leaf))
		leaf = fgomp_queue_parent(leaf);
	return leaf;
}

static void
ended(void *self, struct fg_bubble *bubble, struct fg_runqueue *leaf)
{
	(void)self;
	struct fgomp_bubble_statistics statistics;
	fgomp_queue_lock_all(leaf);
	fgomp_bubble_statistics(bubble, leaf, false, &statistics);
	fgomp_queue_unlock_all(leaf);
	fprintf(stderr, "thick %u %.4f\n", statistics.threads, statistics.thickness);
}

static const struct fgomp_sched_option options[] = {
	{"asks", "no: nothing is counted", offsetof(struct thick, asks), 1, 0, 1, NULL},
	{0},
};

const struct fgomp_sched fgomp_sched_plugin = {
	.abi = FGOMP_SCHED_ABI,
	.name = "thick",
	.summary = "tells how strongly teams cooperate",
	.size = sizeof(struct thick),
	.options = options,
	.measures = measures,
	.born = born,
	.ended = ended,
};
