/* Tell: the report on a region that does not move on (floor: stuck; called by look.c). */
#pragma once
#include "team/team.h"

/* Reports for what the members of the region wait, and those of regions around and within. If no member waits, there
 * is no report. `moved` is asked last whether something has happened meanwhile: then there is no report either. True:
 * the report was made. */
bool fg_stuck_tell(struct fg_team *stuck, uint64_t now, uint64_t since, bool (*moved)(void));
