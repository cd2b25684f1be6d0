/* What a docked member runs: the function of its region, and the data (floor: exec; called by team/region/member.c).
 * The line of the dock keeps them until all members have ended. The member itself asks, inside or outside, and only
 * reads. */
#pragma once
#include "exec/thread/dock_state.h"
#include "exec/thread/worker_state.h"

static inline void (*fg_dock_fn(const struct fg_identity *self))(void *data)
{
	return self->crew_of->crew.fork->fn;
}
static inline void *
fg_dock_data(const struct fg_identity *self)
{
	return self->crew_of->crew.fork->data;
}
