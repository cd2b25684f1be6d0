/* A scheduler that sends random threads to random PUs all the time: roots, members of flat teams, members that have met
 * a nested region, and all others. It tells how many calls it made, and how many of them were refused, if ROAMS_TELL is
 * set. */
#include <forestgomp/sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static _Atomic(struct fg_runqueue *) top;
static unsigned long calls, refused;
static uint64_t chance = 88172645463325252u;

static unsigned
below(unsigned n)
{
	chance ^= chance << 13;
	chance ^= chance >> 7;
	chance ^= chance << 17;
	return (unsigned)(chance >> 20) % n;
}

static void
learn(struct fg_runqueue *leaf)
{
	for (struct fg_runqueue *level = leaf; level && !top; level = fgomp_queue_parent(level))
		if (!fgomp_queue_parent(level))
			top = level;
}

static struct fg_runqueue *
born(void *self, struct fg_bubble *bubble, struct fg_runqueue *range, struct fg_runqueue *leaf)
{
	(void)self, (void)bubble, (void)range;
	learn(leaf);
	return leaf;
}

/* Any level: the program has ready threads of other PUs too, and PUs that steal nothing else. */
static bool
idle(void *self, struct fg_runqueue *leaf, unsigned turn, struct fg_claim *claim)
{
	(void)self;
	learn(leaf);
	for (struct fg_runqueue *level = leaf; (level = fgomp_queue_parent(level));)
		for (unsigned i = 0, n = fgomp_queue_n_children(level); i < n; i++)
			if (fgomp_claim_oldest(fgomp_queue_child(level, (i + turn) % n), turn % 2, claim))
				return true;
	return false;
}

static void
send(struct fg_entity *thread)
{
	struct fg_runqueue *level = fgomp_queue_of_pu(top, below(fgomp_queue_n_pus(top)));
	if (below(8) == 0 && fgomp_queue_parent(level))
		level = fgomp_queue_parent(level);
	calls++;
	refused += !fgomp_thread_send(thread, level);
}

static void
send_below(const struct fg_bubble *above)
{
	for (struct fg_bubble *bubble = fgomp_tree_first(above); bubble; bubble = fgomp_tree_next(bubble)) {
		for (unsigned k = 0; k < fgomp_bubble_size(bubble); k++) {
			struct fg_entity *thread = fgomp_bubble_thread(bubble, k);
			if (thread && below(2))
				send(thread);
		}
		send_below(bubble);
	}
}

static void
daemon(void *self)
{
	(void)self;
	if (!top)
		return;
	fgomp_tree_lock();
	send_below(NULL);
	fgomp_tree_unlock();
}

__attribute__((destructor)) static void
tell(void)
{
	if (getenv("ROAMS_TELL"))
		fprintf(stderr, "roams: %lu sent, %lu refused\n", calls - refused, refused);
}

const struct fgomp_sched fgomp_sched_plugin = {
	.abi = FGOMP_SCHED_ABI,
	.name = "roams",
	.summary = "sends random threads to random PUs",
	.born = born,
	.idle = idle,
	.daemon = daemon,
	.period = 100000,
	.tree = true,
};
