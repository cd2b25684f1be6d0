/* Thief: how a member finds a task, first its own, then those of others (floor: team; called by wait.c).
 *
 * `within` is the family of a task that is suspended below, so only descendants of that task may run (tied tasks).
 * `within` NULL: any task may. A function that returns a task has taken it for the member. NULL: there is none.
 *
 * The member itself calls, inside. fg_task_may_find and fg_task_thief_sees only look, perhaps under a bucket of the
 * parking lot, the second perhaps in the preemption handler. The others are called without a lock. A task that was
 * taken is in no deque, mailbox or queue. */
#pragma once
#include "team/inside.h"
#include "team/tasks/pool.h"

/* Looks everywhere: in the team's queue, in the member's own deque, and in those of others. */
struct fg_deferred *fg_task_find(struct fg_task_member *member, struct fg_family *within);
/* Looks in the team's queue and in the member's own deque. */
struct fg_deferred *fg_task_find_near(struct fg_task_member *member, struct fg_family *within);
/* The same as fg_task_find for a member that waits, once in each turn of its wait. But it looks at the deques of others
 * in some turns only. */
struct fg_deferred *fg_task_find_patiently(struct fg_task_member *member, struct fg_family *within);
/* True: there may be something for fg_task_find. */
bool fg_task_may_find(struct fg_task_member *member, struct fg_family *within);

/* Of a large team, for a member that asks again and again: true, if there is a task where its next look goes. Once
 * it finds none it must ask fg_task_pool_has_waiting before it sleeps. */
bool fg_task_thief_sees(struct fg_task_member *member);

/* The member looks at others in its next turn. */
static inline void
fg_task_thief_soon(struct fg_task_member *member)
{
	member->thief.turn = 0;
}
/* It does so, and looks at all of them. */
void fg_task_thief_everywhere(struct fg_task_member *member);
/* Returns the turns between two looks. */
unsigned fg_task_thief_pause(const struct fg_task_member *member);
