/* Dock: flat teams (floor: exec; called by team/region, team/sync/barrier.c, shutdown.c, process_fork.c and birth.c,
 * and by a table of hooks where a root ends). The members of an outermost team stay on their workers from region to
 * region. Each worker runs its crew in turn, with plain counters. The crew are the worker's members of the team.
 *
 * A caller holds no lock, and is in no signal handler. It is a root's thread or a member, inside the runtime. Only a
 * shutdown and the child of a fork may have no identity. fg_dock_acquire and fg_dock_fork may leave the runtime for a
 * moment. fg_dock_barrier may return on another kernel thread. dock.c has fork, barrier and join; dock_setup.c has the
 * rest. The loops of docked threads are in dock.c, too: dock_line.h declares them. */
#pragma once
#include "exec/thread/identity.h"

/* Takes the root's dock for a region of `size` members, and prepares workers and identities. False: other roots have
 * the PUs or the workers, or the system gives no more threads. Then births populate the region. slot_of: the worker of
 * each member. The workers are numbered from 0 without gaps, and slot_of[0] = 0. NULL: members are dealt round the
 * workers. */
bool fg_dock_acquire(struct fg_identity *self, unsigned size, const uint16_t *slot_of);
/* Starts members 1 .. size-1: each runs body(job, member). The caller runs member 0 itself. The line of the fork also
 * carries the program's function and its argument. Each member finds them there at no further cost
 * (fg_dock_fn, fg_dock_data). */
void fg_dock_fork(struct fg_identity *self, void (*body)(void *job, unsigned member), void *job, void (*fn)(void *data),
		  void *data);
/* Returns the number of workers of all flat teams that are in flight, or were last. */
unsigned fg_dock_slots(void);
/* Returns when all members have ended. Then the dock is free again. */
void fg_dock_join(struct fg_identity *self);
/* Barrier of all members of the docked team. */
void fg_dock_barrier(struct fg_identity *self);

/* Takes all docks until fg_dock_open, as if regions were in flight. False: a region is in flight. */
bool fg_dock_close(void);
void fg_dock_open(void);
/* The docks must be closed. Ends all workers. Returns when they carry nothing any more. Then their kernel threads
 * are about to end, or they are idle spares. */
void fg_dock_end_workers(void);
/* The root's thread ends: other roots may have its workers. */
void fg_dock_give_up(struct fg_root *root);
/* In the child of a fork, outside the runtime. root: the caller's, or that of its region; it may be NULL. */
void fg_dock_after_fork(struct fg_root *root);
