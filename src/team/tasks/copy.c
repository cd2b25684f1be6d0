/* The data of included tasks for which not every stack has room (floor: team); see copy.h. */
#include "team/tasks/copy.h"

#include "exec/thread/identity.h"
#include "platform/memory.h"

#define STACK_MAX 768 /* larger data lies elsewhere */

static char *
memory_get(struct fg_identity *self, size_t size)
{
	fg_enter(self);
	char *memory = fg_memory_get(size);
	fg_leave(self);
	return memory;
}

/* Where there is no memory elsewhere, all data lies on the stack. */
void
fg_task_run_larger(const struct fg_task_order *order, size_t size)
{
	struct fg_identity *self = fg_self();
	fg_assert_outside(self);
	char *memory = size > STACK_MAX ? memory_get(self, size) : NULL;
	char local[memory ? 1 : size];
	fg_task_run_in(memory ? memory : local, order);
	if (!memory)
		return;
	fg_enter(self);
	fg_memory_free(memory);
	fg_leave(self);
}
