/* Births: how the members of a nested region come to life, one after the other, on whatever worker gets to them
 * (floor: exec; design D2; called by team/region.c and the worker loop). */
#pragma once
#include "exec/nested/rejoin.h"
#include "exec/thread/identity.h"
#include "forest/bubble.h"
#include "platform/float.h"

struct fg_births {
	struct fg_bubble bubble;
	void (*body)(void *job, unsigned member); /* runs one member to its end */
	void *job;
	struct fg_identity *parent; /* the encountering thread: member 0 */
	unsigned width; /* members that may run at a time in it and the regions around it: the product of the teams' sizes */
	struct fg_float environment; /* the parent's at the fork: as a new pthread would, each member begins in it */
	bool carried; /* the parent's worker carried threads before: false for a root outside any region */
	struct fg_rejoin rejoin;
};

/* Regions in flight whose root has not got the dock: none begins while the gate is shut (shutdown.c). */
bool fg_births_shut(void); /* false: there are some, and the gate stays open */
void fg_births_open(void);
/* In the child of a fork. */
void fg_births_after_fork(void);

/* Makes members 1 .. size-1 available to all workers. The caller then runs member 0 itself. */
void fg_births_publish(struct fg_identity *self, struct fg_births *births, unsigned size);
/* Returns when all members have ended. */
void fg_births_join(struct fg_identity *self, struct fg_births *births);
/* Nobody runs tasks of the region any more. So nothing of a root's own can keep its kernel thread, on which it goes
 * on. */
void fg_births_leave_slow(struct fg_identity *self, struct fg_births *births);
static inline void
fg_births_leave(struct fg_identity *self, struct fg_births *births)
{
	if (__builtin_expect(!births->carried, 0))
		fg_births_leave_slow(self, births);
}
/* A free donor runs members of the region, as its order says (each word of it is read by itself: what was just stored
 * in parts is late where it is read in one), until none is unborn or something more urgent waits. */
void fg_births_run(struct fg_identity *self, struct fg_bubble *bubble);
