/* The policy of learnt.c does nothing, and keeps the figures of nested regions that it was shown. */
#include "../../include/forestgomp/sched.h"

struct seen {
	double first, last;   /* the CPU time expected of the region when it was first met, and last */
	uint64_t used, whole; /* the time that its members used the last time, and with the regions that they met */
} learnt_seen[64][2];

static enum fgomp_measure
measures(const void *self)
{
	(void)self;
	return FGOMP_MEASURE_CPU_TIME;
}

/* By its size, and whether it was met within a nested one. */
static struct seen *
seen_of(struct fg_bubble *bubble, struct fg_runqueue *leaf, struct fgomp_bubble_statistics *all)
{
	struct fgomp_bubble_statistics own;
	fgomp_queue_lock(leaf);
	fgomp_bubble_statistics(bubble, leaf, false, &own);
	fgomp_bubble_statistics(bubble, leaf, true, all);
	fgomp_queue_unlock(leaf);
	struct seen *seen = &learnt_seen[own.threads % 64][own.depth > 1];
	if (own.cpu_time) {
		seen->used = own.cpu_time;
		seen->whole = all->cpu_time;
	}
	return seen;
}

static struct fg_runqueue *
born(void *self, struct fg_bubble *bubble, struct fg_runqueue *range, struct fg_runqueue *leaf)
{
	struct fgomp_bubble_statistics all;
	struct seen *seen = seen_of(bubble, leaf, &all);
	(void)self;
	(void)range;
	seen->last = all.expected;
	if (!seen->first)
		seen->first = all.expected ? all.expected : -1;
	return leaf;
}

static void
ended(void *self, struct fg_bubble *bubble, struct fg_runqueue *leaf)
{
	struct fgomp_bubble_statistics all;
	(void)self;
	seen_of(bubble, leaf, &all);
}

static bool
idle(void *self, struct fg_runqueue *leaf, unsigned turn, struct fg_claim *claim)
{
	(void)self;
	(void)turn;
	for (struct fg_runqueue *level = leaf; level; level = fgomp_queue_parent(level))
		for (unsigned pu = 0; pu < fgomp_queue_n_pus(level); pu++)
			if (fgomp_claim_oldest(fgomp_queue_of_pu(level, fgomp_queue_first_pu(level) + pu), false,
					       claim))
				return true;
	return false;
}

const struct fgomp_sched fgomp_sched_plugin = {
	.abi = FGOMP_SCHED_ABI,
	.name = "sees",
	.summary = "keeps what it is shown",
	.measures = measures,
	.born = born,
	.ended = ended,
	.idle = idle,
};
