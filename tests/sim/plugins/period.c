/* A scheduler that asks to redistribute every few milliseconds. It tells each call on the standard error: "OCCASION
 * TIME PU". With sends=1 it sends the first thread of a nested team to and fro between two PUs, for ever. With gather=1
 * it gathers each nested bubble: what lies somewhere on the first node, and members that run on the machine. With
 * range=1 it gives the first nested bubble the last node as range. With strain=1 its strain becomes less with each
 * call, with strain=2 it stays. Bubbles stay where they were met, and no PU steals. */
#include "tell.h"
#include <forestgomp/sched.h>
#include <stdbool.h>

struct period {
	double sends, gather, range, strain, calls;
};

static struct fg_bubble *
first_nested(void)
{
	struct fg_bubble *flat = fgomp_tree_first(NULL);
	return flat ? fgomp_tree_first(flat) : NULL;
}

static bool
send(struct fg_runqueue *top)
{
	static unsigned turn;
	const struct fg_bubble *bubble = first_nested();
	for (unsigned k = 1; bubble && k < fgomp_bubble_size(bubble); k++) {
		struct fg_entity *thread = fgomp_bubble_thread(bubble, k);
		if (thread && fgomp_thread_send(thread, fgomp_queue_of_pu(top, turn++ % 2)))
			return true;
	}
	return false;
}

static bool
gather(struct fg_runqueue *top)
{
	struct fg_runqueue *node = fgomp_queue_child(top, 0);
	bool some = false;
	fgomp_queue_lock_all(top);
	for (struct fg_bubble *flat = fgomp_tree_first(NULL); flat; flat = fgomp_tree_next(flat))
		for (struct fg_bubble *one = fgomp_tree_first(flat); one; one = fgomp_tree_next(one))
			if (fgomp_bubble_gather(one, top)) {
				if (fgomp_entity_holder(fgomp_bubble_entity(one)))
					fgomp_take(fgomp_bubble_entity(one));
				fgomp_put_locked(fgomp_bubble_entity(one), node);
				some = true;
			}
	fgomp_queue_unlock_all(top);
	return some;
}

static bool
redistribute(void *self, enum fgomp_occasion why, struct fg_runqueue *level)
{
	struct period *period = self;
	struct fg_runqueue *top = level;
	period->calls++;
	while (fgomp_queue_parent(top))
		top = fgomp_queue_parent(top);
	tell("redistribute", (double[]){why, (double)fgomp_sched_now(), fgomp_queue_first_pu(level)}, 3);
	bool moved = false;
	fgomp_tree_lock();
	if (period->range != 0 && first_nested())
		fgomp_entity_set_range(fgomp_bubble_entity(first_nested()),
				       fgomp_queue_child(top, fgomp_queue_n_children(top) - 1));
	if (period->sends != 0)
		moved = send(top);
	if (period->gather != 0)
		moved |= gather(top);
	fgomp_tree_unlock();
	return moved;
}

static double
strain(void *self, struct fg_runqueue *top)
{
	const struct period *period = self;
	return period->strain == 0 ? fgomp_queue_idle_pus(top) : period->strain == 1 ? 1 / (1 + period->calls) : 1;
}

static const struct fgomp_sched_option options[] = {
	{"sends", "a thread is sent to and fro", offsetof(struct period, sends), 0, 0, 1, NULL},
	{"gather", "nested bubbles are gathered", offsetof(struct period, gather), 0, 0, 1, NULL},
	{"range", "the first nested bubble gets a range", offsetof(struct period, range), 0, 0, 1, NULL},
	{"strain", "0: idle PUs; 1: it becomes less; 2: it stays", offsetof(struct period, strain), 0, 0, 2, NULL},
	{0},
};

const struct fgomp_sched fgomp_sched_plugin = {
	.abi = FGOMP_SCHED_ABI,
	.name = "period",
	.summary = "redistributes each 3 ms",
	.size = sizeof(struct period),
	.options = options,
	.redistribute = redistribute,
	.redistribute_period = 3000000,
	.strain = strain,
};
