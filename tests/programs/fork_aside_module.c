/* A bubble scheduler for fork_aside.c: it puts members of a new bubble aside, or holds the lock of a runqueue, until it
 * is told to go on. */
#include "../../include/forestgomp/sched.h"

enum { AT_ONCE, ASIDE, LOCKED };

unsigned aside_does = AT_ONCE, aside_has, aside_goes_on; /* written by the program, by the scheduler, by the program */
static struct fg_runqueue *queue, *top;

static int
start(void *self)
{
	(void)self;
	queue = fgomp_queue_new();
	return queue == NULL;
}

static struct fg_runqueue *
top_of(struct fg_runqueue *level)
{
	while (fgomp_queue_parent(level))
		level = fgomp_queue_parent(level);
	return level;
}

static struct fg_runqueue *
born(void *self, struct fg_bubble *bubble, struct fg_runqueue *range, struct fg_runqueue *leaf)
{
	struct fg_entity *member[8];

	(void)self;
	(void)range;
	if (aside_does == AT_ONCE)
		return leaf;
	top = top_of(leaf);
	unsigned n = fgomp_bubble_burst(bubble, member);
	for (unsigned i = 0; i < n; i++)
		fgomp_put(member[i], queue);
	if (aside_does == LOCKED)
		fgomp_queue_lock(queue);
	__atomic_store_n(&aside_has, n, __ATOMIC_RELEASE);
	if (aside_does != LOCKED)
		return 0;
	while (!__atomic_load_n(&aside_goes_on, __ATOMIC_ACQUIRE))
		;
	fgomp_queue_unlock(queue);
	return 0;
}

static void
bring_back(void *self)
{
	struct fg_entity *entity;

	(void)self;
	if (!__atomic_load_n(&aside_goes_on, __ATOMIC_ACQUIRE))
		return;
	do {
		fgomp_queue_lock(queue);
		entity = fgomp_holder_first(fgomp_queue_holder(queue));
		if (entity)
			fgomp_take(entity);
		fgomp_queue_unlock(queue);
		if (entity)
			fgomp_put(entity, top);
	} while (entity);
}

const struct fgomp_sched fgomp_sched_plugin = {.abi = FGOMP_SCHED_ABI,
					       .name = "aside",
					       .summary = "puts members aside for a while",
					       .start = start,
					       .born = born,
					       .daemon = bring_back,
					       .period = 1000000};
