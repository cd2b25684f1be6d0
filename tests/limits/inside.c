/* A bubble scheduler that takes memory where it must not. */
#include <forestgomp/sched.h>
#include <stdlib.h>

static struct fg_runqueue *
born(void *self, struct fg_bubble *bubble, struct fg_runqueue *range, struct fg_runqueue *leaf)
{
	(void)self, (void)bubble, (void)range;
	void *volatile memory = malloc(10);
	free(memory);
	return leaf;
}

const struct fgomp_sched fgomp_sched_plugin = {
	.abi = FGOMP_SCHED_ABI,
	.name = "inside",
	.summary = "calls malloc inside the runtime",
	.born = born,
};
