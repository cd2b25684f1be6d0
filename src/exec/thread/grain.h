/* Grain: the computing of a nested member between two waits for its team, where it must be timed (floor: exec; called
 * by nested/birth.c, loop/loop.c and team/sync/barrier.c). sched/theft.h says what for. A grain counts only if nothing
 * comes between: no region that the member meets, and no switch to another thread.
 *
 * The caller is the member itself, inside, without a lock, and in no signal handler. */
#pragma once
#include "base/carrier.h"
#include "exec/thread/identity.h"
#include "sched/theft.h"

static inline void
fg_grain_begin(struct fg_identity *self, const struct fg_bubble *team)
{
	if (fg_theft_is_timed(team))
		self->grain_since = fg_carrier->now();
}

/* `waits`: the member meets a barrier. Else it ends. */
void fg_grain_end_slow(struct fg_identity *self, struct fg_bubble *team, bool waits);
static inline void
fg_grain_end(struct fg_identity *self, struct fg_bubble *team, bool waits)
{
	if (__builtin_expect(self->grain_since != 0, 0))
		fg_grain_end_slow(self, team, waits);
}

/* The grain does not count. */
static inline void
fg_grain_drop(struct fg_identity *self)
{
	self->grain_since = 0;
}
