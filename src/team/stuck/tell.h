/* Tell: the report on a region that does not move on (floor: team; called by look.c). */
#pragma once
#include "team/team.h"

/* Says what the members of the region and of those around and within wait for, unless nobody waits; `moved` is asked at last whether
 * something has happened meanwhile: then nothing is said. True: it was. */
bool fg_stuck_tell(struct fg_team *stuck, uint64_t now, uint64_t since, bool (*moved)(void));
