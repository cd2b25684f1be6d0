/* Policy `global`: one queue for all that it looks after, the whole machine, for bubbles and for threads that are ready to go on (floor: sched). */
#include "sched/policy.h"

static struct fg_runqueue *
top_of(const void *self, struct fg_runqueue *queue)
{
	for (struct fg_runqueue *up; (up = fgomp_queue_above(self, queue));)
		queue = up;
	return queue;
}

static struct fg_runqueue *
born(void *self, struct fg_bubble *bubble, struct fg_runqueue *range, struct fg_runqueue *leaf)
{
	(void)bubble;
	(void)range;
	return top_of(self, leaf);
}

static struct fg_runqueue *
woken(void *self, struct fg_entity *thread, struct fg_runqueue *near)
{
	(void)thread;
	return top_of(self, near);
}

const struct fgomp_sched fg_sched_global = {
	.abi = FGOMP_SCHED_ABI,
	.name = "global",
	.summary = "one queue for all PUs",
	.born = born,
	.woken = woken,
};
