/* Hiring: the state of the pool that workers.c, part.c and berths.c share (floor: exec; used by these, by dock_setup.c,
 * layout.c and exchange.c). A caller takes the lock inside, or has no identity; fg_hiring_several may be called
 * outside, too. It allocates nothing under the lock. The invariants are fg_hiring_valid_locked. */
#pragma once
#include "base/spinlock.h"
#include "exec/pool/workers.h"
#include "exec/thread/dock_state.h"

/* All of it is guarded by `lock`, which also owns `nowhere`. */
struct fg_hiring {
	struct fg_spinlock lock;
	unsigned target;	   /* entries that are wanted */
	unsigned pending;	   /* workers that are being started */
	bool refused;		   /* the system has refused a worker since the last request */
	struct fg_identity *ended; /* homes of workers that have no kernel thread: other threads may still read these */
	uint16_t *seat;		   /* PUs for workers without a layout, in the order in which they get them */
	unsigned seats;		   /* so many of these are given away */
	bool *used, *dealt;	   /* by PU: scratch memory of the functions that deal PUs */
	void (*main)(void *worker);
	struct fg_atomic_u32 ends; /* counts the ends of `pending` */
	struct fg_dock *docks;	   /* of all roots that have made a layout */
	unsigned roots;		   /* their number */
	bool closed;		   /* no root gets workers */
	/* The dock of the workers that no root has. Its slots are the workers' numbers. */
	struct fg_dock nowhere;
};
extern struct fg_hiring fg_hiring __attribute__((visibility("hidden")));

#ifndef NDEBUG
/* For an assert, under the lock. It looks at all docks and workers. */
bool fg_hiring_valid_locked(void);
#endif

/* Marks in fg_hiring.used the PUs of all layouts but that of `but`. */
void fg_hiring_mark_locked(const struct fg_dock *but);
/* Counts the layouts but that of `but`. */
unsigned fg_hiring_layouts_locked(const struct fg_dock *but);
/* Several threads of the program have had outermost regions. The pool is closed: its docks are owned until
 * fg_berths_open. The caller does not hold the lock. */
bool fg_hiring_several(void);
bool fg_hiring_closed(void);
