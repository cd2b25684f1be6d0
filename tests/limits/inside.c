/* A bubble scheduler that does what it must not, inside the runtime: it takes memory, or frees a lock that it does not
 * have. */
#include <forestgomp/sched.h>
#include <stdlib.h>

static struct fg_runqueue *
born(void *self, struct fg_bubble *bubble, struct fg_runqueue *range, struct fg_runqueue *leaf)
{
	(void)self, (void)bubble, (void)range;
#ifdef ASSERTION
	fgomp_queue_unlock_all(leaf);
#else
	void *volatile memory = malloc(10);
	free(memory);
#endif
	return leaf;
}

const struct fgomp_sched fgomp_sched_plugin = {
	.abi = FGOMP_SCHED_ABI,
	.name = "inside",
	.summary = "does wrong inside the runtime",
	.born = born,
};
