/* Dock: flat teams. The members of an outermost team stay on their workers from region to region; each worker runs its
 * crew (its members of the team) round a ring, with plain counters (floor: exec; design D4; called by team). */
#pragma once
#include "exec/thread/identity.h"
#include "exec/thread/root.h"

/* Takes the dock for a region of `size` members of this root and prepares workers and identities; false if another root
 * has it, or the system gives no more threads: the region is then populated by births. slot_of: the worker of each
 * member, numbered from 0 without gaps, that of member 0 being 0; NULL: members are dealt round the workers. */
bool fg_dock_acquire(struct fg_identity *self, unsigned size, const uint16_t *slot_of);
/* Sets members 1 .. size-1 going: each runs body(job, member). The caller runs member 0 itself. The program's function
 * and its argument come with the line of the fork: each member finds them in its worker's crew, at no further cost
 * (fg_dock_fn, fg_dock_data). */
void fg_dock_fork(struct fg_identity *self, void (*body)(void *job, unsigned member), void *job, void (*fn)(void *data),
		  void *data);
/* Workers of the flat team that is in flight, or was last. */
unsigned fg_dock_slots(void);
/* Returns when all members have ended; the dock is free again. */
void fg_dock_join(struct fg_identity *self);
/* Barrier of all members of the docked team. */
void fg_dock_barrier(struct fg_identity *self);

static inline void (*fg_dock_fn(const struct fg_identity *self))(void *data)
{
	return self->crew_of->crew.fn;
}
static inline void *
fg_dock_data(const struct fg_identity *self)
{
	return self->crew_of->crew.data;
}
/* Takes the dock for good until it is opened again, as if a region were in flight; false: one is. */
bool fg_dock_close(void);
void fg_dock_open(void);
/* The dock is closed: all its workers end. Returns when nothing is carried by them any more: their kernel threads are
 * on their way to their end, or idle spares. */
void fg_dock_end_workers(void);
/* In the child of a fork. */
void fg_dock_after_fork(void);
