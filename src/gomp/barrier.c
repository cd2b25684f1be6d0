/* ABI: the barrier construct (floor: gomp). It is legal outside any region, where the caller is a team of one. Compiled
 * code calls these, as team/inside.h says. team/sync/barrier.c has the invariants. */
#include "base/export.h"
#include "team/sync/barrier.h"
#include "team/team.h"

FG_EXPORT void
GOMP_barrier(void)
{
	struct fg_identity *self = fg_self();
	if (!self || !self->thread.team)
		return;
	fg_enter(self);
	fg_team_barrier(self);
	fg_leave(self);
}

FG_EXPORT bool
GOMP_barrier_cancel(void)
{
	struct fg_identity *self = fg_self();
	if (!self || !self->thread.team)
		return false;
	fg_enter(self);
	bool cancelled = fg_team_barrier_cancellable(self);
	fg_leave(self);
	return cancelled;
}
