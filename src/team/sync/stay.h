/* Stay: the barriers of members that cannot leave a cancelled region yet (floor: team; called by cancel.c). A member
 * calls, inside and without a lock, and naps where it waits. */
#pragma once
#include "team/inside.h"
#include "team/team.h"

/* So many members stay, the caller among them. Each of them calls this once, with the same number. */
void fg_stay_begin(struct fg_team *team, unsigned members);
/* Waits until all members that still stay have come here. */
FG_INSIDE void fg_stay_meet(struct fg_identity *self, struct fg_team *team);
/* The caller stays no longer. */
void fg_stay_end(struct fg_team *team);
