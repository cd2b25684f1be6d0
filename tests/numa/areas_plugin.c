/* A bubble scheduler that notes the areas of memory that it is told of, for areas.c. */
#include "../../include/forestgomp/sched.h"

struct fgomp_area areas_seen[64];
unsigned areas_n, areas_nodes, areas_changes[8];
size_t areas_on[64][4], areas_all_on[4], areas_all;
int areas_node_of_pu[64];

static void
pus(struct fg_runqueue *queue)
{
	if (fgomp_queue_n_pus(queue) == 1)
		areas_node_of_pu[fgomp_queue_first_pu(queue)] = fgomp_queue_node(queue);
	for (unsigned i = 0; i < fgomp_queue_n_children(queue); i++)
		pus(fgomp_queue_child(queue, i));
}

static void
changed(void *self, enum fgomp_change change, struct fg_runqueue *level)
{
	(void)self;
	areas_changes[change]++;
	if (change != FGOMP_CHANGE_AFFINITY)
		return;
	areas_nodes = fgomp_nodes();
	areas_n = fgomp_entity_areas(NULL, true, areas_seen, 64);
	for (unsigned i = 0; i < areas_n; i++)
		fgomp_area_memory(&areas_seen[i], areas_on[i], 4);
	areas_all = fgomp_entity_memory(NULL, true, areas_all_on, 4);
	pus(level);
}

static struct fg_runqueue *
born(void *self, struct fg_bubble *bubble, struct fg_runqueue *range, struct fg_runqueue *leaf)
{
	(void)self;
	(void)bubble;
	(void)leaf;
	return range;
}

const struct fgomp_sched fgomp_sched_plugin = {.abi = FGOMP_SCHED_ABI,
					       .name = "notes",
					       .summary = "notes what it is told of memory",
					       .born = born,
					       .changed = changed,
					       .areas = true};
