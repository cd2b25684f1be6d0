/* Batches: a monotonic dynamic loop, a guided or an ordered one of a large flat team (floor: team; called by
 * loop.c).
 *
 * Chunks are numbered, and one counter gives them out in order. A *batch* is a row of pieces that one member takes
 * from it for its whole group. A piece has one chunk; one of a guided loop has more, a power of two that shrinks. The
 * batch lies in the group's word: the number of its next chunk, the size of its pieces and how many are left. So most
 * pieces cost a transfer within the group. The number only rises, so a value does not come back while a piece is left.
 *
 *     pieces left > 0   members take pieces by compare-and-swap. The member that takes the last one may make the
 *                       word FETCHING at once, and take the next batch ahead
 *     0                 the next member makes the word FETCHING, and takes a batch
 *     FETCHING          one member is about to store a batch. Others wait, and count themselves
 *
 * Where the member itself needs a piece, the batch has one for it and for each member that is counted. So at the begin
 * and at the end of a loop no piece lies with a busy group while another has none. A batch that is taken ahead has some
 * pieces for each worker of the group. It is taken only where many chunks are left, and no iteration waits for others.
 * A member takes a *single* piece from the counter if its last chunk lies past the group's batch, or if it has waited
 * for some turns.
 *
 * Invariants.
 *
 * (1) A chunk is given once. The additions to the counter return rows of chunks that have none in common. A word
 * changes from one row to the next only through FETCHING, by the member that has made it so.
 *
 * (2) The chunks of a member rise. It takes from the word only if the next number there is at least its `least`: its
 * last chunk + 1. An addition returns more than all additions before it. The one that gave the member's last chunk is
 * before it: the batch was stored with release, and the member has read the word with acquire. (Only loads that see
 * later stores could break this, and the interleavings have none.)
 *
 * (3) Where a batch has pieces left, the member that took it is in the loop, it has a smaller piece or none, and it
 * comes back to this word. When it took the batch it had a smaller piece, or got the first one. Later it gets pieces of
 * this batch only, in order, because it may take them as long as some are left. It keeps to its word although its
 * worker may change.
 *
 * So all chunks are given, and ordered loops go on. Let i be the least iteration that is not done. If a member has it,
 * its turn has come. If i lies in a batch, the member of (3) has done its own piece. So it waits for no turn, and asks
 * again. If i was not given yet, all that were given are done, and the next member that asks gets it, or finds it in
 * its word. The same holds for waits of doacross loops, which are for smaller iterations. The wait for FETCHING ends by
 * itself. So nobody waits for the member that makes it, although that one may be stopped there.
 *
 * A member calls outside, without a lock and in no signal handler. It only pauses, and may be preempted anywhere. */
#pragma once
#include "team/share/parts.h"

/* The first member of a loop calls it. False: one counter serves the loop, as in fg_parts_set_up. */
bool fg_batches_set_up(struct fg_workshare *share, const struct fg_team *team, uint64_t chunk, bool guided);
/* Gives the next chunks of the caller: the first one's number, and how many. False: there are none. */
bool fg_batches_next(struct fg_identity *self, struct fg_workshare *share, uint64_t *number, uint64_t *count);
