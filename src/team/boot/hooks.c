/* The table of hooks (floor: team); see hooks.h. */
#include "team/hooks.h"

#include "team/region/helping.h"
#include "team/share/doacross.h"
#include "team/tasks/pool_end.h"

const struct fg_team_hooks fg_team_hooks = {
	.help = &fg_task_helping,
	.pool_free = fg_task_pool_free,
	.doacross_free = fg_doacross_free,
};
