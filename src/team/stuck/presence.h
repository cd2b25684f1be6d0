/* Presence: where a thread is, from team to team outwards (floor: team; used by look.c and tell.c). */
#pragma once
#include "team/team.h"

/* The place of an identity in a region: it is a member of the region, or of one within. `number` is its number in the
 * region. `inner` is the region within that it is in, or NULL. `first` begins with the thread's own team, and `around`
 * goes on outwards. False: the region is not in flight, or there is none. */
struct fg_presence {
	struct fg_team *team, *inner;
	unsigned number;
};
bool fg_presence_first(const struct fg_identity *thread, struct fg_presence *presence);
bool fg_presence_around(struct fg_presence *presence);
