/* Presence (floor: stuck): see presence.h.
 *
 * A region is in flight as long as its primary thread's way from team to team leads through it. A member's own note of
 * its team may be of a region that is over. */
#include "stuck/presence.h"

#define DEPTH_MAX 64

FG_READS_HINTS static bool
is_in_flight(const struct fg_team *team)
{
	const struct fg_identity *primary = team->primary;
	const struct fg_team *at = primary ? fg_presence_team(primary->thread.team) : NULL;
	for (unsigned i = 0; at && at != team && i < DEPTH_MAX; i++)
		at = fg_presence_team(at->outer);
	return at == team;
}

FG_READS_HINTS bool
fg_presence_first(const struct fg_identity *thread, struct fg_presence *presence)
{
	*presence = (struct fg_presence){fg_presence_team(thread->thread.team), NULL, thread->thread.num};
	return presence->team && is_in_flight(presence->team) && presence->number < presence->team->size;
}

FG_READS_HINTS bool
fg_presence_around(struct fg_presence *presence)
{
	struct fg_team *inner = presence->team;
	*presence = (struct fg_presence){fg_presence_team(inner->outer), inner, inner->saved.num};
	return presence->team && is_in_flight(presence->team) && presence->number < presence->team->size;
}
