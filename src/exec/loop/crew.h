/* Crew: the members of the docked (flat) team that run on one worker (floor: exec; called by dock.c, help.c,
 * lend.c, helpers.c, loop.c and the monitor). They lie in a circular list, with plain counters that only the worker's
 * own threads touch. An idle worker of the team can get some of them.
 *
 * Invariant:
 *
 *     arrived + lent + waiting <= count
 *
 * The crew has `count` members. Those that no term counts run, or are suspended in the midst of the phase.
 *
 * A phase lasts from one barrier to the next. In the current phase, `waiting` members have neither begun nor been lent.
 * They are suspended at the end of the phase before. `next` is the first of them in the order of the list.
 *
 * A member that has arrived may be called for tasks in two cases: others of the crew have not arrived, or the crew is
 * led (lend.c).
 *
 * Any thread may ask fg_crew_idles and fg_crew_may_lend. All else is called by the owner of the worker, inside, or by a
 * thread that holds it. fg_crew_take, fg_crew_recall and fg_crew_idles may come from the preemption handler, and
 * fg_crew_take under a bucket of the parking lot. */
#pragma once
#include <assert.h>

#include "exec/thread/worker.h"

/* The invariant as the owner sees it. Also out <= arrived, because members that were called while the crew was led
 * still count as arrived. */
static inline bool
fg_crew_holds(const struct fg_crew *crew)
{
	return crew->arrived + crew->lent + fg_load_relaxed(&crew->waiting) <= crew->count &&
	       crew->out <= crew->arrived;
}

#ifndef NDEBUG
/* For asserts (valid.c), by the owner. The second walks the list, in which this member is, as a phase begins. */
bool fg_crew_valid(const struct fg_worker *worker);
bool fg_crew_list_valid(const struct fg_worker *worker, const struct fg_identity *has);
#endif

/* The caller runs the body of its member, in the floating-point modes of the root. The first time, it takes over the
 * root's flags, too. */
void fg_crew_run(struct fg_identity *self, struct fg_crew *crew);

/* Takes the next member that has not begun. NULL: all have begun. Only the owner calls this, or a thread that holds the
 * owner's thread (hold.h). */
struct fg_identity *fg_crew_take(struct fg_crew *crew);

/* Members of the worker's crew have arrived and may be called. Any thread may ask: for the owner the result is exact,
 * for others a hint. */
bool fg_crew_idles(const struct fg_worker *worker);
/* Where fg_crew_idles is true for the owner, which alone calls this: takes an idler, which must run tasks and then
 * arrive again. */
struct fg_identity *fg_crew_recall(struct fg_worker *worker);
/* All of the caller's crew have arrived or are lent. The caller waits on its worker, for lent members or for other
 * crews. From fg_crew_lead to fg_crew_lead_end the idlers of the worker may be called. fg_crew_lead_end demands
 * out == 0. */
void fg_crew_lead(struct fg_identity *self);
void fg_crew_lead_end(struct fg_identity *self);
/* The caller has arrived and will be suspended. */
static inline void
fg_crew_idle(struct fg_crew *crew, struct fg_identity *self)
{
	assert(crew->arrived > 0 && !self->in_crew.lent && !self->in_crew.recalled);
	self->next = crew->idlers;
	crew->idlers = self;
}
/* True: the caller was called while the crew was led, and is back. */
static inline bool
fg_crew_back(struct fg_crew *crew, const struct fg_identity *self)
{
	if (self->in_crew.lent || !crew->out)
		return false;
	crew->out--;
	assert(fg_crew_holds(crew));
	return true;
}
/* Members of the worker's crew wait for its PU, as seen from outside. Any thread may ask. */
bool fg_crew_may_lend(struct fg_worker *worker);
/* Members that were lent and have returned count as arrived from now on. `first` is a list of them, which was taken off
 * the worker's list. Only the owner calls this. */
void fg_crew_returned(struct fg_worker *worker, struct fg_identity *first);
/* The worker's docked thread will wait, or no longer waits. */
static inline void
fg_crew_look(struct fg_worker *worker, bool waits)
{
	assert(fg_worker_is_own(worker));
	fg_store_relaxed(&worker->helps, waits ? worker->crew.region : 0);
}
