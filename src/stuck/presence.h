/* Presence: where a thread is, from team to team outwards (floor: stuck; used by look.c and tell.c). */
#pragma once
#include "stuck/library.h"
#include "team/team.h"

/* A pointer to a team that this thread has just loaded, or NULL if it may lead to a stack. The fence pairs with that
 * of region.c: the count is raised before such a pointer is there. */
static inline struct fg_team *
fg_presence_team(struct fg_team *loaded)
{
	fg_fence_acquire();
	return fg_load_relaxed(fg_library->teams_on_stacks) ? NULL : loaded;
}

/* The place of an identity in a region: it is a member of the region, or of one within. `number` is its number in the
 * region. `inner` is the region within that it is in, or NULL. `first` begins with the thread's own team, and `around`
 * goes on outwards. False: the region is not in flight, or there is none. */
struct fg_presence {
	struct fg_team *team, *inner;
	unsigned number;
};
bool fg_presence_first(const struct fg_identity *thread, struct fg_presence *presence);
bool fg_presence_around(struct fg_presence *presence);
