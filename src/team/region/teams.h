/* Teams: made, and kept by the identity that meets a region, for its next ones (floor: team; called by region.c and boot/start.c). */
#pragma once
#include "exec/thread/identity.h"
#include "team/team.h"

/* Of FG_TEAM_BYTES of memory. */
struct fg_team *fg_team_init(struct fg_team *team);
/* NULL: there is no memory. */
struct fg_team *fg_team_take(struct fg_identity *self);
static inline void
fg_team_put(struct fg_identity *self, struct fg_team *team)
{
	team->spare_next = self->spare_teams;
	self->spare_teams = team;
}
/* What it keeps for its next region is freed. */
void fg_team_empty(struct fg_team *team);
/* Puts the teams kept for regions that the identity meets where others take them; it is in none. */
void fg_region_forget(struct fg_identity *self);
