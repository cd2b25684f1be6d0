/* Waiting for predecessors (floor: team); see depend_wait.h. */
#include "team/tasks/depend_wait.h"

#include "team/tasks/depend_table.h"
#include "team/tasks/wait.h"

static bool
nothing_missing(void *node)
{
	return fg_load_acquire(&((struct fg_depend_node *)node)->missing) == 0;
}

void
fg_depend_wait(struct fg_identity *self, struct fg_task *parent, void **depend)
{
	struct fg_task_member *member = fg_task_member(self);
	struct fg_depend_node node;
	do {
		if (!fg_depend_follow(parent, depend, member, &node))
			return;
		fg_task_wait(self, member, fg_task_within(parent), nothing_missing, &node);
		fg_happens_after(&node);
	} while (node.more);
}

void
fg_task_wait_depend(struct fg_identity *self, void **depend)
{
	fg_assert_inside(self);
	struct fg_task *parent = fg_task_current_or_null(self);
	if (parent)
		fg_depend_wait(self, parent, depend);
}
