/* Births: the members of a nested region come to life one after the other, on any worker that gets to them (floor:
 * exec; called by team/region/region.c, kernel_team.h, shutdown.c and process_fork.c, and through the table of
 * hooks by the worker's loop). */
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
	unsigned width; /* members that may run at a time here and in the regions around: product of the sizes */
	struct fg_float environment; /* the parent's at the fork: each member begins in it, as a new pthread would */
	bool carried; /* the parent's worker carried threads before. False: the parent is a root outside any region */
	struct fg_rejoin rejoin;
};

/* Regions in flight whose root has not got the dock. None begins while the gate is shut (shutdown.c). */
bool fg_births_shut(void); /* false: there are such regions, and the gate stays open */
void fg_births_open(void);
/* In the child of a fork. */
void fg_births_after_fork(void);

/* Makes members 1 .. size-1 available to all workers. The caller then runs member 0 itself. */
void fg_births_publish(struct fg_identity *self, struct fg_births *births, unsigned size);
/* Returns when all members have ended. */
void fg_births_join(struct fg_identity *self, struct fg_births *births);
/* The caller must be sure that no thread runs tasks of the region any more. Then no member of a root's own region can
 * keep the root's kernel thread, and the root goes on there. */
void fg_births_leave_slow(struct fg_identity *self, struct fg_births *births);
static inline void
fg_births_leave(struct fg_identity *self, struct fg_births *births)
{
	if (__builtin_expect(!births->carried, 0))
		fg_births_leave_slow(self, births);
}
/* A free donor runs members of the region, as its order says. It stops when no member is unborn, or when something more
 * urgent waits. It reads each word of the order by itself, because one wide load would have to wait for the narrow
 * stores just before it. */
void fg_births_run(struct fg_identity *self, struct fg_bubble *bubble);
