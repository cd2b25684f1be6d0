/* Births: the members of a nested region come to life one after the other, on any worker that gets to them (floor:
 * exec; called by team/region/region.c, shutdown.c and process_fork.c, and through the table of hooks by the worker's
 * loop; kernel_team.c uses the structure). birth.c counts the references, and has the proof.
 *
 * The parent fills `births` before the publication. From then on only the bubble and `rejoin` change, until the join.
 * Each function says where it may be called; none may be called in a signal handler or with a lock held. */
#pragma once
#include "exec/nested/rejoin.h"
#include "exec/thread/identity.h"
#include "forest/bubble.h"
#include "platform/float.h"

struct fg_births {
	struct fg_bubble bubble;
	void (*body)(void *job, unsigned member); /* runs one member to its end */
	void *job;
	struct fg_identity *parent;   /* the encountering thread: member 0 */
	struct fg_bubble *met_before; /* its entity.met at the fork, where teams have homes */
	/* Of the encountering thread in the bubble around, and one, until the publication. 0: the region will not be
	 * noted in the live tree. */
	unsigned number;
	unsigned width; /* members that may run at a time here and in the regions around: product of the sizes */
	struct fg_float environment; /* the parent's at the fork: each member begins in it, as a new pthread would */
	/* The parent's worker carried threads before. False: the parent is a root outside all regions of more than one
	 * member. */
	bool carried;
	bool loosens; /* the parent is a docked member, and was pinned before */
	struct fg_rejoin rejoin;
};

/* The gate counts the regions in flight whose root has not got the dock. No such region begins while the gate is shut
 * (shutdown.c). */
bool fg_births_shut(void); /* false: there are such regions, and the gate stays open */
void fg_births_open(void);
/* In the child of a fork. */
void fg_births_after_fork(void);

#ifndef NDEBUG
/* The caller holds a reference of the region. For an assert (valid.c). */
bool fg_births_valid(const struct fg_births *births);
#endif

/* Makes members 1 .. size-1 available to all workers. The caller then runs member 0 itself. It is inside and holds no
 * lock. Where a donor or the monitor is missing it steps out, and so it does to read the machine's tree and to start
 * workers. Another worker may carry it afterwards. A root outside all regions also sleeps here, inside the runtime,
 * while a shutdown has the gate shut. */
void fg_births_publish(struct fg_identity *self, struct fg_births *births, unsigned size);
/* The parent calls it, inside and without a lock. Returns when all members have ended. Another worker and another
 * kernel thread may carry the caller then. */
void fg_births_join(struct fg_identity *self, struct fg_births *births);
/* The caller is sure that no thread runs tasks of the region any more. So no member can stay blocked on the root's
 * kernel thread. Returns when that kernel thread carries the root's worker. The caller is the root, inside and without
 * a lock. It may sleep until a spare gives the worker back. */
void fg_births_leave_slow(struct fg_identity *self, struct fg_births *births);
static inline void
fg_births_leave(struct fg_identity *self, struct fg_births *births)
{
	if (__builtin_expect(!births->carried, 0))
		fg_births_leave_slow(self, births);
}
/* A free donor runs members of the region on its own stack, as its assignment says. It reads `births` only while it
 * holds a reference, and `body` leaves the runtime for the member's code. It stops when no member is unborn, or when
 * something more urgent waits. It reads each word of the assignment by itself, because one wide load would have to wait
 * for the narrow stores just before it. */
void fg_births_run(struct fg_identity *self, struct fg_bubble *bubble);
