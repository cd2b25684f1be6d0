/* Presence: where a thread is, from team to team outwards (floor: team; used by look.c and tell.c). */
#pragma once
#include "team/team.h"

/* The region is in flight, and the identity is in it or in one within. `number`: its number there; `inner`: the region within that it
 * is in, NULL: none. For all that `thread` leads to; begin with its own team. */
struct fg_presence {
	struct fg_team *team, *inner;
	unsigned number;
};
bool fg_presence_first(const struct fg_identity *thread, struct fg_presence *presence);
bool fg_presence_around(struct fg_presence *presence);
