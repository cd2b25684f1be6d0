/* Ring: samples on their way from the handler of a timer's signal to the sampler (floor: samples; written by tick.c,
 * read by sampler.c).
 *
 * A writer takes the next slot by an atomic addition. So no two writers share a slot, unless one of them sleeps while
 * the others go all round. The state of the slot tells whether it is free:
 *
 *     EMPTY -> WRITING   by the writer, with a compare-and-swap; if it fails, the sample is lost
 *     WRITING -> FULL    by the same writer, which releases what it wrote
 *     FULL -> EMPTY      by the one reader, once it has copied the sample
 *
 * Invariant: the owner of the slot's contents is nobody, the writer, or the reader; a change of the state passes it on.
 * Writers never wait, because they run in a handler. The reader meets the samples in the order of the slots. */
#pragma once
#include "base/atomic.h"
#include "samples/walk.h"

struct fg_sample {
	const void *region; /* the function of the innermost region; NULL: none */
	unsigned node;
	uint32_t bubble; /* in a trace: that of the innermost team of several members; 0: none, or there is no trace */
	uint32_t member; /* of that team */
	struct fg_registers registers;
};

/* Makes the ring. False: there is no memory. */
bool fg_ring_make(void);
/* NULL: the ring is full. Otherwise fg_ring_written must follow. */
struct fg_sample *fg_ring_write(void);
void fg_ring_written(struct fg_sample *sample);
/* The oldest sample; NULL: there is none. Otherwise fg_ring_taken must follow. */
const struct fg_sample *fg_ring_read(void);
void fg_ring_taken(const struct fg_sample *sample);
/* The samples that were lost since the last call. */
unsigned fg_ring_lost(void);
/* In the child of a fork: samples of the parent are dropped. */
void fg_ring_after_fork(void);
