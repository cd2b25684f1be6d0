/* The policy of send.c. Bubbles stay where they were met, and no PU steals. `changed` sends a thread as send_order
   says, on the thread of the program that attaches an area. */
#include "../../include/forestgomp/sched.h"

struct send_order {
	unsigned member, pu; /* of the innermost team; where it must go */
	uint64_t at;	     /* when it was sent */
	int sent, told; /* told: the call is answered already: the area is detached now */
};
struct send_order send_order;
static struct fg_entity *thread;

static void
changed(void *self, enum fgomp_change change, struct fg_runqueue *level)
{
	(void)self;
	if (change != FGOMP_CHANGE_AFFINITY || send_order.told++)
		return;
	fgomp_tree_lock();
	struct fg_bubble *bubble = fgomp_tree_first(NULL), *in;
	while (bubble && (in = fgomp_tree_first(bubble)))
		bubble = in;
	thread = bubble ? fgomp_bubble_thread(bubble, send_order.member) : NULL;
	send_order.at = fgomp_sched_now();
	send_order.sent = thread && fgomp_thread_send(thread, fgomp_queue_of_pu(level, send_order.pu));
	fgomp_tree_unlock();
}

static struct fg_runqueue *
born(void *self, struct fg_bubble *bubble, struct fg_runqueue *range, struct fg_runqueue *leaf)
{
	(void)self, (void)bubble, (void)range;
	return leaf;
}

/* The PU where the thread that was sent last runs; -1: nowhere. */
int
send_where(void)
{
	int pu = -1;
	if (thread)
		fgomp_thread_state(thread, &pu);
	return pu;
}

const struct fgomp_sched fgomp_sched_plugin = {
	.abi = FGOMP_SCHED_ABI,
	.name = "send",
	.summary = "sends a thread when the program says so",
	.born = born,
	.changed = changed,
	.areas = true,
	.tree = true,
};
