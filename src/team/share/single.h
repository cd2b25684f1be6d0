/* Single: which member executes a single construct, and copyprivate (floor: team; called by gomp).
 *
 * team->singles = the number of single constructs that some member has taken. Each member counts those that it has
 * met. The member that moves the team's number from its own count to the next executes the construct. A member that
 * is behind fails, because the number never decreases. A member calls on its own stack, without a lock. */
#pragma once
#include "team/inside.h"
#include "team/team.h"

/* Returns true in exactly one member. */
FG_OUTSIDE static inline bool
fg_single_start(struct fg_identity *self)
{
	fg_assert_outside(self);
	struct fg_thread *thread = &self->thread;
	if (!thread->team || thread->size == 1)
		return true;
	uint64_t met = thread->singles++;
	if (fg_load_relaxed(&thread->team->singles) != met)
		return false; /* a failing compare-and-swap would take the line from the executor */
	return fg_cas_relaxed(&thread->team->singles, &met, thread->singles);
}

/* NULL: the caller executes, and then calls fg_single_copy_end. Otherwise the result is the executor's data. */
FG_OUTSIDE void *fg_single_copy_start(struct fg_identity *self);
FG_OUTSIDE void fg_single_copy_end(struct fg_identity *self, void *data);
