/* Single: copyprivate (floor: team). The next construct cannot overwrite the executor's pointer too early, because
 * the program passes another barrier after the members have copied. */
#include "team/share/single.h"

#include "team/sync/barrier.h"

void *
fg_single_copy_start(struct fg_identity *self)
{
	fg_assert_outside(self);
	if (fg_single_start(self))
		return NULL;
	fg_enter(self);
	fg_team_barrier(self);
	fg_leave(self);
	return fg_load_relaxed(&self->thread.team->copyprivate);
}

void
fg_single_copy_end(struct fg_identity *self, void *data)
{
	fg_assert_outside(self);
	if (!self->thread.team)
		return;
	fg_store_relaxed(&self->thread.team->copyprivate, data);
	fg_enter(self);
	fg_team_barrier(self);
	fg_leave(self);
}
