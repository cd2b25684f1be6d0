/* Workers: the workers besides those of roots, by slot, each with a kernel thread of its own (floor: exec; called by
 * dock.c, dock_setup.c, layout.c, lend.c, birth.c and shutdown.c). workers.c tells how they are started, and where
 * those sit that have no member of a flat team. */
#pragma once
#include "exec/thread/root.h"

struct fg_workers {
	_Alignas(128) struct fg_worker **slot; /* [0]: the worker of the root that has the dock */
	unsigned n;		    /* slots, with the root's; under hiring.lock, or while no worker is started */
	struct fg_atomic_u32 asked; /* workers that nested regions have asked for; UINT_MAX: all that can be */
};
extern struct fg_workers fg_workers;

/* Called for each new layout of the dock; the first call makes the slots. Workers begin in main(worker). A worker
 * counts the forks as seen up to the *epoch at which it got its slot. So it takes part in later ones only. False: out
 * of memory. */
bool fg_workers_begin(void (*main)(void *worker), struct fg_atomic_u64 *epoch);
/* For a flat team: returns when there are so many slots. False: the system gives no more. The caller is inside the
 * runtime. While it starts workers or waits for them, it is outside, so it may be preempted. */
bool fg_workers_need(struct fg_identity *self, unsigned slots);
/* For a nested region: so many workers are of use. Starts a few, which start the others, and waits for none of them.
 * The caller is inside the runtime, but outside while it starts workers. */
void fg_workers_want(struct fg_identity *self, unsigned workers);
/* A new worker calls the first at once: it waits for its slot. It calls the second before its first wait for a fork:
 * it starts missing workers. */
void fg_workers_enter(struct fg_worker *worker);
void fg_workers_help(struct fg_identity *self);
/* The root's teams come next. The workers that take no part in them must sit on the PUs that are left. */
void fg_workers_sit(const struct fg_root *root);
/* Sets the number of wanted slots (hiring.goal) to 0, and returns when no thread starts workers any more. */
void fg_workers_quiet(void);
/* All workers have ended: waits for the end of their kernel threads, and frees their slots. */
void fg_workers_clear(void);
/* The worker of a slot other than 0. */
static inline struct fg_worker *
fg_workers_at(unsigned slot)
{
	return fg_workers.slot[slot];
}
/* In the child of a fork. */
void fg_workers_after_fork(void);
