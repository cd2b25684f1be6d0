/* The end of a pool: it is emptied for the next region, or freed (floor: team; called by taskgroup.c, region, boot and
 * gomp).
 *
 * The primary thread calls at the end of a region, when all members have left it, inside and without a lock. A thread
 * of the program calls for its own pool. A pool that is kept or freed has no task:
 *
 *     fg_task_pool_quiescent(pool), and no deque, mailbox or queue of it has a task */
#pragma once
#include "team/inside.h"
#include "team/tasks/pool.h"

/* The region is over: empties its pool, and keeps it for the team's next region. */
void fg_task_team_end(struct fg_team *team);
/* The team will be freed: frees its pool. */
void fg_task_team_free(struct fg_team *team);
/* Frees the caller's own pool if it holds nothing. */
FG_ANYWHERE void fg_task_pool_trim(struct fg_identity *self);
/* Frees a pool that no thread uses any more. NULL: there is none. */
void fg_task_pool_free(struct fg_task_pool *pool);
