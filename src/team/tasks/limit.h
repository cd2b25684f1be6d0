/* Limit: with so many tasks in its deque, a member runs new ones at once (floor: team; called by create.c, thief.c,
 * pool.c, plain.c).
 *
 * The limit begins with a task for each member of the team, because all of them may come at once. Then it follows the
 * thieves. It is doubled where the deque runs dry. It is halved where the member itself ran nearly all tasks that it
 * deferred. So in a tree of tasks each member keeps a few large tasks for thieves, and includes the small ones, on any
 * number of PUs. Only the member itself uses it. */
#pragma once
#include "team/inside.h"
#include "team/tasks/pool.h"

#define FG_LIMIT_OWN 16 /* tasks from its own deque after which a member looks whether it was robbed */

void fg_task_limit_first(struct fg_task_member *member);
/* Doubles the limit. It was too low: the tasks differ in length, or each takes many times longer than a thief needs to
 * fetch it. */
FG_ANYWHERE void fg_task_ran_dry(struct fg_task_member *member);

void fg_task_limit_look(struct fg_task_member *member);
/* The member has taken a task from its own deque. */
static inline void
fg_task_limit_own(struct fg_task_member *member)
{
	if (__builtin_expect(++member->own % FG_LIMIT_OWN == 0, 0))
		fg_task_limit_look(member);
}
