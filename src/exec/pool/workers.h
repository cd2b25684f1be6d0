/* Workers: the workers there are besides those of roots, each with a kernel thread of its own, by slot (floor: exec;
 * called by dock.c and birth.c). How they are started, and where those sit that have no member of a flat team:
 * workers.c. */
#pragma once
#include "exec/thread/root.h"

struct fg_workers {
	_Alignas(128) struct fg_worker **slot; /* [0]: that of the root that has the dock */
	unsigned n;		    /* slots there are, the root's included; under a lock, or while nobody starts any */
	struct fg_atomic_u32 asked; /* for so many workers nested regions have asked; UINT_MAX: for all there can be */
};
extern struct fg_workers fg_workers;

/* Before the first region that takes the dock; false: out of memory. Workers begin in main(worker), having seen the
 * forks that *epoch tells of. */
bool fg_workers_begin(void (*main)(void *worker), struct fg_atomic_u64 *epoch);
/* For a flat team: returns when there are so many slots; false: the system gives no more. The caller may be
 * preempted. */
bool fg_workers_need(struct fg_identity *self, unsigned slots);
/* For a nested region: so many workers are of use. Sets it going that they are started, and waits for nobody. The
 * caller may be preempted. */
void fg_workers_want(struct fg_identity *self, unsigned workers);
/* First and second thing a new worker does: waits for its slot; starts others. */
void fg_workers_enter(struct fg_worker *worker);
void fg_workers_help(struct fg_identity *self);
/* The root's teams come next: those who take no part in them are to sit on PUs that are left. */
void fg_workers_sit(const struct fg_root *root);
/* Nobody starts workers any more. */
void fg_workers_quiet(void);
/* All have ended: waits for the end of their kernel threads. */
void fg_workers_clear(void);
/* The worker of a slot other than 0. */
static inline struct fg_worker *
fg_workers_at(unsigned slot)
{
	return fg_workers.slot[slot];
}
/* In the child of a fork. */
void fg_workers_after_fork(void);
