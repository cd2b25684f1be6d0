/* Crew: the members of the docked (flat) team that run on one worker, in a ring, with plain counters that only the
 * worker's own threads touch (floor: exec; design D4; called by dock.c, help.c, lend.c and loop.c).
 *
 * Invariant: arrived + lent + waiting <= count. In the current phase (from one barrier to the next) `waiting` members
 * have neither begun nor been lent: they are suspended at the end of the phase before, and `next` is the first of them
 * in ring order.
 *
 * Who has arrived may be called for tasks: members before all of the crew have, or while it is led (lend.c). */
#pragma once
#include <assert.h>

#include "exec/thread/worker.h"

/* The invariant, as its owner sees it, and: members that were called while the crew was led still count as arrived. */
static inline bool
fg_crew_holds(const struct fg_crew *crew)
{
	return crew->arrived + crew->lent + fg_load_relaxed(&crew->waiting) <= crew->count &&
	       crew->out <= crew->arrived;
}

/* The caller runs the body of its member. The first time it takes over the root's floating-point environment. */
void fg_crew_run(struct fg_identity *self, struct fg_crew *crew);

/* Takes the next member that has not begun; NULL: all have. Owner. */
struct fg_identity *fg_crew_take(struct fg_crew *crew);

/* Members of the worker's crew have arrived and may be called. Anybody, as a hint. */
bool fg_crew_idles(const struct fg_worker *worker);
/* Where that is so: one of them is to run tasks and then arrive again. Owner. */
struct fg_identity *fg_crew_recall(struct fg_worker *worker);
/* The caller, of whose crew all have arrived or are lent, waits for others on its worker: from now on, and until it
 * ends this, its worker's idlers may be called. It is to end it only when none is out. */
void fg_crew_lead(struct fg_identity *self);
void fg_crew_lead_end(struct fg_identity *self);
/* The caller has arrived and is going to be suspended. */
static inline void
fg_crew_idle(struct fg_crew *crew, struct fg_identity *self)
{
	self->next = crew->idlers;
	crew->idlers = self;
}
/* The caller was called while the crew was led, and is back. */
static inline bool
fg_crew_back(struct fg_crew *crew, const struct fg_identity *self)
{
	if (self->ring.lent || !crew->out)
		return false;
	crew->out--;
	assert(fg_crew_holds(crew));
	return true;
}
/* Members of the worker's crew wait for its PU, as it looks from outside. Anybody. */
bool fg_crew_may_lend(struct fg_worker *worker);
/* Members that were lent and have returned count as arrived from now on: a list of them, taken off the worker's.
 * Owner. */
void fg_crew_returned(struct fg_worker *worker, struct fg_identity *first);
/* The worker's docked thread is going to wait, or waits no longer. */
static inline void
fg_crew_look(struct fg_worker *worker, bool waits)
{
	fg_store_relaxed(&worker->helps, waits ? worker->crew.region : 0);
}
