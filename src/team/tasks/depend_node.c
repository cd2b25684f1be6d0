/* The nodes of children that depend on each other (floor: team); see depend_node.h. */
#include "team/tasks/depend_node.h"

const struct fg_depend_link fg_depend_closed;

void
fg_depend_unref(struct fg_depend_node *node, struct fg_store *own)
{
	assert(fg_load_relaxed(&node->references) > 0);
	if (fg_load_acquire(&node->references) == 1 || fg_sub_acq_rel(&node->references, 1) == 1)
		fg_store_put(own, &node->block);
}
