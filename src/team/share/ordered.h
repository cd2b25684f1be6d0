/* Ordered: the turns of an ordered loop (floor: team; called by loop.c and the ABI).
 *
 * Chunks are handed out in the order of the iterations and lie end to end, so a turn is named by the loop value at which its
 * chunk starts. The member whose chunk starts at `turn` may run ordered regions; it hands the turn on by storing the value
 * at which its chunk ends: when it asks for the next chunk, or, if the chunk is a single iteration, at the end of its ordered
 * region. A member without iterations left holds no turn. */
#pragma once
#include "team/inside.h"
#include "team/share/workshare.h"

struct fg_ordered_member {
	/* Written and read by that member alone. */
	_Alignas(64) uint64_t from, to; /* its chunk, as loop values */
	bool holds;			/* its turn is still to be handed on */
	bool single;			/* the chunk is one iteration */
};

struct fg_ordered {
	_Alignas(64) struct fg_atomic_u64 turn;
	unsigned room; /* members allocated */
	struct fg_ordered_member member[];
};

/* By the first member, after fg_loop_set_up. False: there is no memory. */
bool fg_ordered_set_up(struct fg_workshare *share);
/* Notes the chunk that the caller was given; returns given. */
bool fg_ordered_record(struct fg_identity *self, struct fg_workshare *share, bool given, const uint64_t *from,
		       const uint64_t *to);
/* Hands the caller's turn on, if it still holds one; waits for it first. */
void fg_ordered_pass_on(struct fg_identity *self, struct fg_workshare *share);

/* The region itself. */
FG_OUTSIDE void fg_ordered_begin(struct fg_identity *self);
FG_OUTSIDE void fg_ordered_end(struct fg_identity *self);
/* Until it is the turn of the chunk that begins there. */
void fg_ordered_wait(struct fg_identity *self, struct fg_ordered *ordered, uint64_t from);
