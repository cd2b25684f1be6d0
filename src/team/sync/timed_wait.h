/* Timed waits: which waits at barriers the sums of a region time (floor: team; called by barrier.c and cancel.c).
 *
 * The clock is read at one barrier, and the barriers that follow are only counted down, in thread.skip. Switches see by
 * its odd numbers that the member waits at one of those: its time off the PU is no suspension then.
 *
 * The member itself calls, inside, around its wait. Only its own `skip` and `sums` are written. */
#pragma once
#include "exec/thread/identity.h"
#include "trace/sums.h"

/* The wait is not timed: fg_timed_wait_skip_end must follow it. */
static inline bool
fg_timed_wait_skip(struct fg_identity *self)
{
	if (!self->thread.skip)
		return false;
	self->thread.skip++;
	return true;
}

static inline void
fg_timed_wait_skip_end(struct fg_identity *self)
{
	self->thread.skip -= 3;
}

static inline void
fg_timed_wait(struct fg_identity *self)
{
	if (__builtin_expect(fg_recording.sums, 0) && self->thread.sums && !fg_timed_wait_skip(self))
		fg_sums_wait(self->thread.sums);
}

static inline void
fg_timed_wait_end(struct fg_identity *self)
{
	if (self->thread.skip & 1)
		fg_timed_wait_skip_end(self);
	else if (__builtin_expect(fg_recording.sums, 0) && self->thread.sums)
		self->thread.skip = (uint16_t)(2 * fg_sums_go(self->thread.sums));
}
