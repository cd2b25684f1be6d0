/* Parts: a dynamic loop of a large flat team has a counter for each group of workers (floor: team; called by loop.c,
 * batches.c and workshare.c).
 *
 * The chunks are dealt in turn: part p of n has the chunks p, p + n, p + 2n and so on. So the parts go through the loop
 * side by side, and a loop whose first iterations cost more stays balanced. A member takes chunks of its own group's
 * part, and each costs a transfer within the group. When the part is over, the member takes single chunks of others.
 *
 * Invariants.
 *
 * (1) A chunk is given once. The additions to a part's counter return each number once, and a number belongs to one
 * chunk.
 *
 * (2) A member leaves only if it has read the counter of each part past the part's last chunk. Counters only grow. So
 * all chunks are given then.
 *
 * (3) A member adds past the end of a part at most once. All that it reads of that counter afterwards lies past the
 * end, and it comes back to a part only if it has read a number before the end. So no number of a chunk overflows
 * (fg_parts_set_up).
 *
 * (4) left(0) + ... + left(n-1) = the members that have left the loop without a barrier. One word for all of them would
 * go from PU to PU, and so would a word that tells which parts are over: each costs more than the end of the loop does.
 *
 * Nobody waits here. The counters order nothing else, as the single counter of a loop does not. Chunks of a member need
 * not rise, so `monotonic` and ordered loops go by batches (batches.h).
 *
 * next, own and leave are called outside, without a lock. Set-up and leavers are inside: under shares_lock
 * (workshare.h); set-up before the fork, too, in a combined region. Only the caller's thread.static_trip and the
 * counters are written. */
#pragma once
#include "team/share/workshare.h"

struct fg_parts {
	/* The first member writes these; then they are only read. */
	_Alignas(128) unsigned n;
	unsigned room;
	uint64_t chunks; /* of batches: how many the loop has */
	unsigned ahead;	 /* of batches: pieces of one, where many chunks are left */
	bool guided;	 /* of batches: pieces shrink */
	const struct fg_groups *groups;
	_Alignas(128) struct fg_atomic_u64 next; /* of batches: chunks that were given */
	struct fg_part {
		_Alignas(128) struct fg_atomic_u64 next; /* chunks of the part that were given, or its batch */
		struct fg_atomic_u32 left; /* members that have left, of those whose worker has this part */
	} part[];
};

/* The first member of a loop calls it. False: one counter serves the loop. Then the team has no groups, or the loop has
 * few chunks, or there is no memory. */
bool fg_parts_set_up(struct fg_workshare *share, const struct fg_team *team, uint64_t chunk);
/* The same for chunks that are given in another way (batches.h): makes the parts, but no counter. NULL: false. */
struct fg_parts *fg_parts_for(struct fg_workshare *share, const struct fg_team *team, uint64_t chunk);
/* The part of the caller's worker. Another part would do, too. */
unsigned fg_parts_own(const struct fg_identity *self, const struct fg_parts *parts);
/* The caller leaves the loop, and touches it no more. Its release meets the acquire of fg_parts_leavers, which returns
 * how many have left. */
void fg_parts_leave(const struct fg_identity *self, struct fg_parts *parts);
uint32_t fg_parts_leavers(const struct fg_parts *parts);
/* Gives the number of the next chunk of the caller. False: there is none. */
bool fg_parts_next(struct fg_identity *self, struct fg_workshare *share, uint64_t *number);
