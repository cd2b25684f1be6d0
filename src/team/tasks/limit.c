/* Limit (floor: team): see limit.h. */
#include "team/tasks/limit.h"

#include "exec/ground/options.h"

#include <limits.h>

#define FIRST 1 /* with one more for each member */
#define LEAST 2 /* one task for a thief, and one for the next, or for the member itself */
#define MANY 32
#define LEAST_MANY 4 /* in a team of more than MANY: other thieves come while the member runs a task */
#define MOST 4096
#define NEVER UINT_MAX /* all tasks are deferred */

static unsigned
least(const struct fg_task_member *member)
{
	return member->pool->size > MANY ? LEAST_MANY : LEAST;
}

/* A member of a large team may leave tasks in a mailbox as long as its limit is high. So its tasks enter the runtime
 * even where they run at once. */
static void
limit_is(struct fg_task_member *member, unsigned limit)
{
	member->limit = limit;
	member->many = member->pool->n_scouts && limit > FG_MAILBOX_TASKS ? FG_MAILBOX_TASKS : limit;
	member->plain = fg_env.plain_tasks && !(member->pool->n_scouts && limit >= FG_MAILBOX_TASKS);
}

void
fg_task_limit_first(struct fg_task_member *member)
{
	limit_is(member, fg_exec_options.defer_tasks ? NEVER : FIRST + member->pool->size);
	member->own = 0;
	member->top_then = fg_load_relaxed(&member->deque.top);
}

void
fg_task_ran_dry(struct fg_task_member *member)
{
	assert(member->limit >= least(member));
	if (member->limit < MOST)
		limit_is(member, 2 * member->limit);
}

/* `top` counts the stolen tasks, and those of the member's own that were the last in the deque. A member whose deque
 * is empty so often includes nothing anyway. */
void
fg_task_limit_look(struct fg_task_member *member)
{
	uint64_t top = fg_load_relaxed(&member->deque.top);
	unsigned few = least(member);
	if (top - member->top_then <= FG_LIMIT_OWN / 4 && member->limit > few && member->limit != NEVER)
		limit_is(member, member->limit / 2 > few ? member->limit / 2 : few);
	assert(top >= member->top_then && member->limit >= few);
	member->top_then = top;
}
