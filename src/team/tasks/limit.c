/* Limit (floor: team): see limit.h. */
#include "team/tasks/limit.h"

#include "exec/ground/options.h"

#include <limits.h>

#define FIRST 1 /* with one more for each member */
#define LEAST 2 /* one task for a thief, and one for the next, or for the member itself */
#define MOST 4096
#define NEVER UINT_MAX /* all tasks are deferred */

void
fg_task_limit_first(struct fg_task_member *member)
{
	member->limit = fg_exec_options.defer_tasks ? NEVER : FIRST + member->pool->size;
	member->own = 0;
	member->top_then = fg_load_relaxed(&member->deque.top);
}

void
fg_task_ran_dry(struct fg_task_member *member)
{
	assert(member->limit >= LEAST);
	if (member->limit < MOST)
		member->limit *= 2;
}

/* `top` counts the stolen tasks, and those of the member's own that were the last in the deque. A member whose deque
 * is empty so often includes nothing anyway. */
void
fg_task_limit_look(struct fg_task_member *member)
{
	uint64_t top = fg_load_relaxed(&member->deque.top);
	if (top - member->top_then <= FG_LIMIT_OWN / 4 && member->limit > LEAST && member->limit != NEVER)
		member->limit = member->limit / 2 > LEAST ? member->limit / 2 : LEAST;
	assert(top >= member->top_then && member->limit >= LEAST);
	member->top_then = top;
}
