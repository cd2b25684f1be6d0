/* Loosen: a docked member that meets a nested region is not pinned until its join (floor: exec; called by
 * nested/birth.c).
 *
 * A parent that is a docked member is pinned to the worker of its crew outside of nested regions, because that is where
 * it arrives. From the publication to its join it is not. It is like any other thread then: as it becomes ready it goes
 * to a runqueue, thieves take it, and policies send it. In its join it is pinned again before it drops its reference,
 * so the thread that resumes it puts it into its worker's inbox. If it was not suspended there, it goes there itself
 * (fg_loosen_come_home). Only the parent writes `pinned`, while it runs. Others read it once the parent is saved, or as
 * a hint. The crew does not miss it: it has not arrived, so neither the crew's phase nor its loans can end without
 * it.
 *
 * The caller is inside, without a lock. Only fg_loosen_come_home may switch. */
#pragma once
#include "exec/thread/identity.h"

/* The caller is pinned, and meets a region within the bubble `around`; NULL: within none. true: it is not pinned any
 * more. Three kinds of member stay: a root, one that is bound to a place, and one that a target region has taken out of
 * its team. A member that is not pinned needs none of this: it is of a nested region, or was loosened by its own region
 * around this one. */
static inline bool
fg_loosen(struct fg_identity *self, struct fg_bubble *around)
{
	if (!self->crew_of || self->root || self->place || !around)
		return false;
	assert(self->pinned == self->crew_of || self->in_crew.lent);
	self->entity.bubble = around;
	fg_store_relaxed(&self->entity.level, NULL);
	self->pinned = NULL;
	return true;
}

/* The caller was loosened, and is about to join. A member that is lent arrives wherever it is (flat/lend.c). In the
 * child of a fork it is pinned already. */
static inline void
fg_loosen_fasten(struct fg_identity *self)
{
	assert(self->crew_of && !self->root);
	if (!self->in_crew.lent && !self->pinned)
		self->pinned = self->crew_of;
}

/* The caller has joined. Returns on the worker to which it is pinned. It may have been sent, stolen or called for tasks
 * elsewhere. */
void fg_loosen_come_home(struct fg_identity *self);
