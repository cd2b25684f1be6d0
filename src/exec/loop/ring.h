/* Crew: the members of the docked (flat) team that run on one worker, in a ring, with plain counters that only the worker's own
 * threads touch; and how an idle worker of the team gets some of them (floor: exec; design D4; called by dock.c and loop.c).
 *
 * Invariant: arrived + lent + waiting <= count. In the current phase (from one barrier to the next) `waiting` members have neither begun
 * nor been lent: they are suspended at the end of the phase before, and `next` is the first of them in ring order.
 *
 * Who has arrived may be called for tasks: members before all of the crew have, or while it is led (lend.c). */
#pragma once
#include <assert.h>

#include "exec/thread/identity.h"

struct fg_crew {
	unsigned count, arrived;
	struct fg_atomic_u32 waiting; /* others read it as a hint */
	unsigned lent;		      /* of this phase, not yet counted as arrived */
	struct fg_identity *next;
	struct fg_identity *idlers; /* have arrived in this phase, suspended: they can be called for tasks */
	uint64_t phase;		    /* last phase completed by the whole crew */
	uint64_t region;	    /* first phase of the last region it took part in */
	void (*body)(void *job, unsigned member);
	void *job;
	void (*fn)(void *data); /* the program's, and its argument */
	void *data;
	uint32_t environment; /* the root's: see root.h */
	struct fg_root *root; /* whose layout the ring was made for, and its version */
	uint64_t layout;
	unsigned slots; /* workers of the team */
	struct fg_identity *first;
	bool home_waits; /* between regions the worker's home waits, for the members may be on another worker in the next */
	bool crowded;  /* a team with more members than workers */
	bool led;      /* all have arrived, and who waits for the other crews lets idlers be called */
	bool crossing; /* all have arrived at the barrier of this phase, and the leader waits for the other crews */
	unsigned out;  /* called meanwhile, and not back: they still count as arrived */
	bool lends;    /* crowded, and none of its members is bound */
	struct fg_worker *asked; /* whom this worker has asked for a member, perhaps in vain */
	unsigned asks;
};

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
/* The caller, of whose crew all have arrived or are lent, waits for others on its worker: from now on, and until it ends this, its
 * worker's idlers may be called. It is to end it only when none is out. */
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
	if (self->lent || !crew->out)
		return false;
	crew->out--;
	assert(fg_crew_holds(crew));
	return true;
}

/* The caller's worker has nothing to do: asks another of its team for a member, which will come by its inbox. */
void fg_crew_ask(struct fg_worker *idle);
/* Members of the worker's crew wait for its PU, as it looks from outside. Anybody. */
bool fg_crew_may_lend(struct fg_worker *worker);
/* Gives whoever asked this worker one of its members that wait for the PU. `staying`: threads that are ready here although no list
 * has them yet. Owner. */
void fg_crew_lend(struct fg_worker *worker, unsigned staying);
/* The caller, which was lent, has arrived: suspends it until its own worker resumes it in the next phase. */
void fg_crew_return(struct fg_identity *self);
/* The caller is the last of its crew to arrive at home: waits until those that were lent have returned. */
void fg_crew_collect(struct fg_identity *self);
