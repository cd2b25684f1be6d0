/* Crews: the members of a root's team that run on one worker, as the layout deals them (floor: exec; called by dock.c).
 * While the layout holds, members may go to other crews (transfer.c). The owner of the worker calls, inside: it writes
 * its own crew, seat and steps, and reads the root's layout, which holds until the crew has arrived. */
#pragma once
#include "exec/thread/identity.h"

/* The root's layout is new for the worker. It gets the members that this deals to its slot, and its seat. If only the
 * seating has changed (seating.h), it gets its member. */
void fg_crew_follow(struct fg_worker *worker, struct fg_root *root, uint64_t layout, unsigned seating);
/* The worker's layout deals this member to it, by number. The worker's thread may wait as this member meanwhile. */
bool fg_crew_has(const struct fg_worker *worker, const struct fg_identity *member);
/* The member was sent here, and the next layout may deal it to another worker. So it must not wait here between
 * regions: the other worker could resume it before it is saved. */
bool fg_crew_is_transferred(const struct fg_worker *worker, const struct fg_identity *member);
