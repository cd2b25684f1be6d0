/* Policy `global`: one runqueue for the part of the machine that it looks after, for bubbles and for ready threads
 * (floor: sched). */
#include "sched/decision.h"
#include "sched/policy.h"

static struct fg_runqueue *
top_of(const void *self, struct fg_runqueue *queue)
{
	for (struct fg_runqueue *up; (up = fgomp_queue_above(self, queue));)
		queue = up;
	fg_reason("one runqueue for all PUs");
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
