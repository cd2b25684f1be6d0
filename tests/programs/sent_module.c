/* The policy of sent.c. Its daemon sends each thread of a nested region that runs to another PU, and looks at its next
 * calls whether it runs there. */
#include "../../include/forestgomp/sched.h"

#define INNER 4

unsigned sent_arrived, sent_wrong_sums;

static struct fg_runqueue *top;
static struct {
	struct fg_entity *thread;
	int pu;
} sent[2][INNER];

static struct fg_runqueue *
born(void *self, struct fg_bubble *bubble, struct fg_runqueue *range, struct fg_runqueue *leaf)
{
	(void)self;
	(void)bubble;
	(void)range;
	for (struct fg_runqueue *level = leaf; level; level = fgomp_queue_parent(level))
		top = level;
	return leaf;
}

static void
look(const struct fg_bubble *bubble, unsigned team, unsigned k)
{
	struct fg_entity *thread = fgomp_bubble_thread(bubble, k);
	int pu;
	if (!thread || fgomp_thread_state(thread, &pu) != FGOMP_RUNNING)
		return;
	if (sent[team][k].thread == thread && sent[team][k].pu == pu)
		sent_arrived++;
	sent[team][k].pu = (pu + 1) % (int)fgomp_queue_n_pus(top);
	bool may = fgomp_thread_send(thread, fgomp_queue_of_pu(top, (unsigned)sent[team][k].pu));
	sent[team][k].thread = may ? thread : NULL;
}

/* The sums of all regions are those of the outermost ones together. */
static void
look_at_sums(void)
{
	struct fgomp_tree_statistics all, one, sum = {0};
	fgomp_tree_statistics(NULL, &all);
	for (struct fg_bubble *flat = fgomp_tree_first(NULL); flat; flat = fgomp_tree_next(flat)) {
		fgomp_tree_statistics(flat, &one);
		sum.bubbles += one.bubbles;
		sum.threads += one.threads;
	}
	sent_wrong_sums += all.bubbles != sum.bubbles || all.threads != sum.threads ||
			   all.threads != all.absent + all.running + all.ready + all.blocked;
}

static void
daemon(void *self)
{
	unsigned team = 0;
	(void)self;
	if (!top)
		return;
	fgomp_tree_lock();
	look_at_sums();
	for (struct fg_bubble *flat = fgomp_tree_first(NULL); flat; flat = fgomp_tree_next(flat))
		for (struct fg_bubble *in = fgomp_tree_first(flat); in && team < 2; in = fgomp_tree_next(in), team++)
			for (unsigned k = 1; k < fgomp_bubble_size(in) && k < INNER; k++)
				look(in, team, k);
	fgomp_tree_unlock();
}

const struct fgomp_sched fgomp_sched_plugin = {
	.abi = FGOMP_SCHED_ABI,
	.name = "sent",
	.summary = "sends threads round",
	.born = born,
	.daemon = daemon,
	.period = 5000000,
	.tree = true,
};
