/* Teams: the making of teams (floor: team; called by region.c and boot/start.c). The identity that meets a region keeps
 * its team for later regions. Only that identity touches its list, inside or outside, without a lock. A team in a list
 * has no region in flight. */
#pragma once
#include "exec/thread/identity.h"
#include "team/team.h"

/* `team` is FG_TEAM_BYTES of memory. */
struct fg_team *fg_team_init(struct fg_team *team);
extern struct fg_teams {
	/* Counts the teams that were made on a stack, where they vanish (region.c). It is raised before other threads
	 * can find such a team. From then on the watcher of FGOMP_STUCK reads no team any more. */
	struct fg_atomic_u32 on_stacks;
	/* Teams are never freed, because a former member may still look for tasks of its team (exec/nested/rejoin.h).
	 * Here lie the teams of identities that are no more. */
	struct fg_atomic_ptr forgotten;
} fg_teams __attribute__((visibility("hidden")));
/* NULL: there is no memory. */
struct fg_team *fg_team_take(struct fg_identity *self);
static inline void
fg_team_put(struct fg_identity *self, struct fg_team *team)
{
	team->free_next = self->free_teams;
	self->free_teams = team;
}
/* Frees all that the team keeps for its next region. */
void fg_team_empty(struct fg_team *team);
/* Hands on the teams that the identity has kept for regions that it meets. Other identities may take them. The
 * identity is in no region. */
void fg_region_forget(struct fg_identity *self);
