/* Burst: the computing of a nested member between two waits for its team, where it must be timed (sched/theft.h) (floor:
 * exec; called by nested/birth.c, loop/loop.c and team/sync). A burst counts only if nothing comes between: no region
 * that the member meets, and no switch to another thread.
 *
 * The caller is the member itself, inside, and in no signal handler. */
#pragma once
#include "base/carrier.h"
#include "exec/thread/identity.h"
#include "exec/thread/worker.h"
#include "sched/theft.h"

static inline void
fg_burst_begin(struct fg_identity *self, const struct fg_bubble *team)
{
	if (fg_theft_is_timed(team))
		self->burst_since = fg_carrier->now();
}

static inline void
fg_burst_end(struct fg_identity *self, struct fg_bubble *team)
{
	if (__builtin_expect(self->burst_since != 0, 0)) {
		fg_theft_burst(team, fg_worker_leaf(self->worker)->first_pu, fg_carrier->now() - self->burst_since);
		self->burst_since = 0;
	}
}

/* The burst does not count. */
static inline void
fg_burst_drop(struct fg_identity *self)
{
	self->burst_since = 0;
}
