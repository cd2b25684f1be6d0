/* Sequences: a reader never takes the value of a change for one that was there before or after it.
 *
 * Sources: base/lock_order.c
 */
#include "base/sequence.h"
#include "interleave/model.h"

enum { WHOLE = 15, HALF = 1 };

static struct fg_sequence sequence;
static struct fg_atomic_u32 mask; /* the kernel reads and writes it under a lock */

static void
sequence_setup(void)
{
	fg_store_relaxed(&mask, WHOLE);
}

static void
sequence_moves(void)
{
	for (unsigned i = 0; i < 2; i++) {
		fg_sequence_begin(&sequence);
		fg_store_release(&mask, HALF);
		fg_store_release(&mask, WHOLE);
		fg_sequence_end(&sequence);
	}
}

static void
sequence_looks(void)
{
	for (unsigned i = 0; i < 2; i++) {
		uint32_t before = fg_sequence_read(&sequence), seen = fg_load_acquire(&mask);
		if (fg_sequence_same(&sequence, before))
			model_assert(seen == WHOLE);
	}
}

static void
sequence_check(void)
{
	model_assert(fg_sequence_same(&sequence, fg_sequence_read(&sequence)));
}
MODEL_SCENARIO(sequence, .setup = sequence_setup, .thread = {sequence_moves, sequence_looks}, .check = sequence_check,
	       .broken = MODEL_BROKEN("drop fg_sequence_begin:store_relaxed", "weaken fg_sequence_end:store_release",
				      "weaken fg_sequence_read:load_acquire"));
