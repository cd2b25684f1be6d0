/* Every 2 ms: prints how many tasks of each outermost team wait, on the machine and on each node. */
#include <stdio.h>

#include "forestgomp/sched.h"

static struct fg_runqueue *machine;

static void
look(void *self)
{
	(void)self;
	if (!machine)
		return;
	fgomp_tree_lock();
	for (struct fg_bubble *team = fgomp_tree_first(NULL); team; team = fgomp_tree_next(team)) {
		fprintf(stderr, "%u", fgomp_bubble_tasks(team, machine));
		for (unsigned i = 0; i < fgomp_queue_n_children(machine); i++)
			fprintf(stderr, " %u", fgomp_bubble_tasks(team, fgomp_queue_child(machine, i)));
		fprintf(stderr, "\n");
	}
	fgomp_tree_unlock();
}

static struct fg_runqueue *
born(void *self, struct fg_bubble *bubble, struct fg_runqueue *range, struct fg_runqueue *leaf)
{
	(void)self;
	(void)bubble;
	while (fgomp_queue_parent(leaf))
		leaf = fgomp_queue_parent(leaf);
	machine = leaf; /* other threads may store the same */
	return range;
}

const struct fgomp_sched fgomp_sched_plugin = {
	.abi = FGOMP_SCHED_ABI,
	.name = "counts",
	.summary = "counts tasks that wait",
	.tree = true,
	.born = born,
	.daemon = look,
};
