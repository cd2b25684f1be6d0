/* Workers: the workers besides those of roots, by number, each with a kernel thread of its own (floor: exec; called by
 * dock.c, dock_setup.c, berths.c, birth.c and shutdown.c). workers.c tells how they are started, and where those sit
 * that have no member of a flat team.
 *
 *     all[i]->hire.number == i, for 0 < i < n
 *
 * No caller holds a lock or is in a signal handler, because most of these start threads or wait for them. */
#pragma once
#include "exec/thread/identity.h"

struct fg_workers {
	_Alignas(128) struct fg_worker **all; /* [0] is unused, as if it were a root's worker */
	unsigned n;		    /* entries, with that one; under hiring.lock, or while no worker is started */
	struct fg_atomic_u32 asked; /* workers that nested regions have asked for; UINT_MAX: all that can be */
};
extern struct fg_workers fg_workers;

/* Called for each new layout by the owner of the dock, inside and without the pool's lock; the first call makes room
 * for the workers. They begin in main(worker). False: out of memory, or a shutdown has closed the pool. */
bool fg_workers_begin(void (*main)(void *worker));
/* For flat teams: returns when there are so many entries. False: the system gives no more. The caller is inside the
 * runtime. While it starts workers or waits for them, it is outside, so it may be preempted. */
bool fg_workers_need(struct fg_identity *self, unsigned slots);
/* For a nested region: so many workers are of use. Starts a few, which start the others, and waits for none of them.
 * The caller is inside the runtime, but outside while it starts workers. */
void fg_workers_want(struct fg_identity *self, unsigned workers);
/* A new worker calls the first at once: it waits until it counts. It calls the second before its first wait for a fork:
 * it starts missing workers. */
void fg_workers_enter(struct fg_worker *worker);
void fg_workers_help(struct fg_identity *self);
/* The root has a new layout. Its workers must sit on the layout's PUs, and those without a layout where PUs are
 * left. */
void fg_workers_sit(const struct fg_root *root);
/* Sets the number of wanted entries (hiring.target) to 0, and returns when no thread starts workers any more. The
 * docks are closed and the gate is shut, so nobody asks for workers meanwhile. */
void fg_workers_quiet(void);
/* All workers have ended: waits for the end of their kernel threads, and frees their entries. */
void fg_workers_clear(void);
/* In the child of a fork. */
void fg_workers_after_fork(void);
