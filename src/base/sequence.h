/* Sequence: readers find out whether what they have read was half changed (floor: base; used by binding.c). It is the
 * sequence counter of a seqlock, for one writer and any number of readers. Nobody waits.
 *
 *     writer: begin, change, change back, end         reader: read, look, same
 *
 * The changes must be releases, and the look an acquire, as system calls are that take a lock of the kernel.
 *
 *     Invariant: a reader for which fg_sequence_same is true saw no value that was written between a begin and its end.
 *
 * Proof. A reader that saw such a value comes after the begin, so its second load gets this odd number or a later one.
 * `same` wants the first load to have got the same, and an even one: that of the end, or a later one. But then the
 * look comes after the end (release, acquire), and sees what was there at the end, or a later change, whose begin
 * the second load would have seen. */
#pragma once
#include "base/atomic.h"

struct fg_sequence {
	struct fg_atomic_u32 n; /* odd: a change is on */
};

/* The child of a fork may find it odd, and goes on from there. */
static inline void
fg_sequence_begin(struct fg_sequence *sequence)
{
	fg_store_relaxed(&sequence->n, (fg_load_relaxed(&sequence->n) + 1) | 1);
}
static inline void
fg_sequence_end(struct fg_sequence *sequence)
{
	fg_store_release(&sequence->n, fg_load_relaxed(&sequence->n) + 1);
}
static inline uint32_t
fg_sequence_read(const struct fg_sequence *sequence)
{
	return fg_load_acquire(&sequence->n);
}
static inline bool
fg_sequence_same(const struct fg_sequence *sequence, uint32_t before)
{
	return before % 2 == 0 && fg_load_relaxed(&sequence->n) == before;
}
