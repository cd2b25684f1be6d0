/* Ordered: the turns of an ordered loop (floor: team; called by loop.c, stuck/reason.c and gomp/ordered.c).
 *
 * Chunks are handed out in the order of the iterations and lie end to end. So the loop value at which a chunk starts
 * names its turn. The member with chunk.from == turn may run ordered regions. It hands the turn on with the store
 * turn = chunk.to. It does so when it asks for the next chunk, or, after a single iteration, at the end of its
 * ordered region. A member without iterations left holds no turn.
 *
 * A member calls outside, without a lock, and enters where it waits or wakes. Only the holder of the turn writes
 * `turn`. */
#pragma once
#include "team/inside.h"
#include "team/share/await.h"
#include "team/share/workshare.h"

struct fg_ordered_member {
	/* Only its member writes and reads it. */
	_Alignas(64) uint64_t from, to; /* its chunk, as loop values */
	bool holds;			/* it must still hand its turn on */
	bool single;			/* the chunk is one iteration */
};

struct fg_ordered {
	_Alignas(64) struct fg_atomic_u64 turn;
	_Alignas(64) struct fg_await await;
	unsigned room; /* number of members that it has room for */
	struct fg_ordered_member member[];
};

/* The first member calls it, after fg_loop_set_up. False: there is no memory. */
bool fg_ordered_set_up(struct fg_workshare *share);
/* Notes the chunk that the caller was given. Returns `given`. */
bool fg_ordered_record(struct fg_identity *self, struct fg_workshare *share, bool given, const uint64_t *from,
		       const uint64_t *to);
/* Hands the caller's turn on, if it still holds one. It waits for the turn first. */
void fg_ordered_pass_on(struct fg_identity *self, struct fg_workshare *share);

/* Start and end of an ordered region. */
FG_OUTSIDE void fg_ordered_begin(struct fg_identity *self);
FG_OUTSIDE void fg_ordered_end(struct fg_identity *self);
/* Waits for the turn of the chunk that begins at `from`. */
void fg_ordered_wait(struct fg_identity *self, struct fg_ordered *ordered, uint64_t from);
/* The wait proper, where it is not that turn yet. */
__attribute__((noinline)) void fg_ordered_wait_long(struct fg_identity *self, struct fg_ordered *ordered,
						    uint64_t from);
