/* A scheduler that sends members of flat teams, and members that have met a nested region: each to the PU after the one
 * where it runs. The daemon tells on the standard error what it does and sees, one line for each thread, where `came`
 * says whether the thread runs where it was sent at the last call:
 *   root SENT                   it cannot be sent
 *   flat|met MEMBER CAME SENT   a member of a flat team, which runs; or has met a nested region
 * Bubbles stay where they were met, and no PU steals. */
#include <forestgomp/sched.h>
#include <stdio.h>

struct exchanges {
	double member, first; /* the member that is sent; the first PU to which it goes */
};

static struct fg_runqueue *top;
static int wanted = -1; /* the PU where the member was sent */

static struct fg_runqueue *
born(void *self, struct fg_bubble *bubble, struct fg_runqueue *range, struct fg_runqueue *leaf)
{
	(void)self, (void)bubble, (void)range;
	for (struct fg_runqueue *level = leaf; level; level = fgomp_queue_parent(level))
		top = level;
	return leaf;
}

static void
look(const struct exchanges *exchanges, struct fg_entity *thread, const char *what)
{
	int pu, first = (int)exchanges->first;
	if (!thread || fgomp_thread_state(thread, &pu) != FGOMP_RUNNING)
		return;
	bool came = wanted == pu;
	wanted = first + (pu + 1 - first) % ((int)fgomp_queue_n_pus(top) - first);
	bool sent = fgomp_thread_send(thread, fgomp_queue_of_pu(top, (unsigned)wanted));
	fprintf(stderr, "%s %d %d %d\n", what, (int)exchanges->member, came, sent);
}

static void
daemon(void *self)
{
	const struct exchanges *exchanges = self;
	if (!top)
		return;
	fgomp_tree_lock();
	const struct fg_bubble *flat = fgomp_tree_first(NULL);
	if (flat && fgomp_bubble_size(flat) > exchanges->member) {
		struct fg_entity *root = fgomp_bubble_thread(flat, 0),
				 *thread = fgomp_bubble_thread(flat, (unsigned)exchanges->member);
		if (root)
			fprintf(stderr, "root %d\n", fgomp_thread_send(root, fgomp_queue_of_pu(top, 1)));
		look(exchanges, thread, thread && fgomp_thread_may_move(thread) ? "met" : "flat");
	}
	fgomp_tree_unlock();
}

static const struct fgomp_sched_option options[] = {
	{"member", "the member that is sent", offsetof(struct exchanges, member), 1, 1, 64, NULL},
	/* PU 0 is the root's, which keeps its seat. A crew there may get members. */
	{"first", "the first PU to which it goes", offsetof(struct exchanges, first), 1, 0, 1, NULL},
	{0},
};

const struct fgomp_sched fgomp_sched_plugin = {
	.abi = FGOMP_SCHED_ABI,
	.name = "exchanges",
	.summary = "sends a member of a flat team round the machine",
	.size = sizeof(struct exchanges),
	.options = options,
	.born = born,
	.daemon = daemon,
	.period = 2000000,
	.tree = true,
};
