/* The end of a pool: emptied for the next region, or freed (floor: team; called by taskgroup.c, region/region.c, boot/start.c and gomp). */
#pragma once
#include "team/inside.h"
#include "team/tasks/pool.h"

/* The region is over: its pool is emptied and kept for the team's next one. */
void fg_task_team_end(struct fg_team *team);
/* The team is to be freed. */
void fg_task_team_free(struct fg_team *team);
/* Frees the caller's own pool if it holds nothing. */
FG_ANYWHERE void fg_task_pool_trim(struct fg_identity *self);
/* Nobody uses the pool any more; NULL: there is none. */
void fg_task_pool_free(struct fg_task_pool *pool);
