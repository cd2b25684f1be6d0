/* Stuck: which regions there are, and whether each of them moves on (floor: team; begun by boot/start.c, if FGOMP_STUCK asks for it).
 *
 * A region has not moved on if none of its members, nor of those of regions within, has met a construct of OpenMP for that long: begun
 * or ended, arrived at a barrier or passed it, taken a chunk, made or completed a task, begun to wait or ceased. It is told of
 * if somebody waits meanwhile; as long as all of them compute, or are about to, nothing is said. */
#pragma once
#include "team/team.h"

/* For fg_stuck_begin. */
bool fg_stuck_look(uint64_t now);
void fg_stuck_after(uint64_t after_ns);

/* The region is in flight, and the identity is in it or in one within. `number`: its number there; `inner`: the region within that it
 * is in, NULL: none. For all that `thread` leads to; begin with its own team. */
struct fg_presence {
	struct fg_team *team, *inner;
	unsigned number;
};
bool fg_presence_first(const struct fg_identity *thread, struct fg_presence *presence);
bool fg_presence_around(struct fg_presence *presence);

/* Says what the members of the region and of those around and within wait for, unless nobody waits; `moved` is asked at last whether
 * something has happened meanwhile: then nothing is said. True: it was. */
bool fg_stuck_tell(struct fg_team *stuck, uint64_t now, uint64_t since, bool (*moved)(void));
