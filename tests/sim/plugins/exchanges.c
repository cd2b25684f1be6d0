/* A scheduler that sends members of flat teams, and members that have met a nested region: each to the PU after the one
 * where it runs. The daemon tells on the standard error what it does and sees, one line for each thread, where `came` says
 * whether the thread runs where it was sent at the last call:
 *   root SENT                   it cannot be sent
 *   flat|met MEMBER CAME SENT   member 1 of a flat team, which runs; or has met a nested region
 * Bubbles stay where they were met, and no PU steals. */
#include <forestgomp/sched.h>
#include <stdio.h>

static struct fg_runqueue *top;
static int wanted = -1; /* the PU where member 1 was sent */

static struct fg_runqueue *
born(void *self, struct fg_bubble *bubble, struct fg_runqueue *range, struct fg_runqueue *leaf)
{
	(void)self, (void)bubble, (void)range;
	for (struct fg_runqueue *level = leaf; level; level = fgomp_queue_parent(level))
		top = level;
	return leaf;
}

/* PU 0 is the root's, which keeps its seat. */
static void
look(struct fg_entity *thread, const char *what)
{
	int pu;
	if (!thread || fgomp_thread_state(thread, &pu) != FGOMP_RUNNING)
		return;
	bool came = wanted == pu;
	wanted = 1 + pu % ((int)fgomp_queue_n_pus(top) - 1);
	bool sent = fgomp_thread_send(thread, fgomp_queue_of_pu(top, (unsigned)wanted));
	fprintf(stderr, "%s 1 %d %d\n", what, came, sent);
}

static void
daemon(void *self)
{
	(void)self;
	if (!top)
		return;
	fgomp_tree_lock();
	const struct fg_bubble *flat = fgomp_tree_first(NULL);
	if (flat && fgomp_bubble_size(flat) > 1) {
		struct fg_entity *root = fgomp_bubble_thread(flat, 0), *thread = fgomp_bubble_thread(flat, 1);
		if (root)
			fprintf(stderr, "root %d\n", fgomp_thread_send(root, fgomp_queue_of_pu(top, 1)));
		look(thread, thread && fgomp_thread_may_move(thread) ? "met" : "flat");
	}
	fgomp_tree_unlock();
}

const struct fgomp_sched fgomp_sched_plugin = {
	.abi = FGOMP_SCHED_ABI,
	.name = "exchanges",
	.summary = "sends member 1 of a flat team round the machine",
	.born = born,
	.daemon = daemon,
	.period = 2000000,
	.tree = true,
};
