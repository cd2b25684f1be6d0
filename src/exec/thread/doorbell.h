/* Doorbell: calls the two threads that look after all others, the monitor and the spawner (floor: exec; called by
 * loop.c, spare.c, dock.c, lend.c, birth.c, move, wake.c, donor_pool.c, grant, world.c, watch and region.c; the two
 * threads lie above, in watch).
 *
 * A call wakes a thread, or starts the monitor; it waits for neither. fg_monitor_want alone leaves the runtime
 * meanwhile. The others may be called with a lock held, in a signal handler, and without an identity. */
#pragma once
#include "base/atomic.h"

struct fg_identity;

extern struct fg_doorbell {
	/* The monitor's kernel thread; 0: none. Its mask is the process's: the user sets it with all others, and a
	 * program that sets the mask of one of its own threads does not. */
	struct fg_atomic_u32 monitor_tid;
	struct fg_atomic_u32 monitor_awake;
	struct fg_atomic_u32 spawner_asked; /* 1: a request was made that the spawner has not taken up (spawner.c) */
} fg_doorbell __attribute__((visibility("hidden")));
void fg_doorbell_wake(void);
void fg_doorbell_start(struct fg_identity *self);
/* Something may come to wait for a PU, so the monitor must look. The cost is one load of a line that is hardly ever
 * written. */
static inline void
fg_monitor_poke(void)
{
	if (__builtin_expect(fg_load_relaxed(&fg_doorbell.monitor_awake) == 0, 0))
		fg_doorbell_wake();
}
/* The same, but starts the monitor if need be. The caller opens a region with more members than PUs, or a nested
 * one, and holds no lock. It leaves the runtime meanwhile. */
static inline void
fg_monitor_want(struct fg_identity *self)
{
	if (__builtin_expect(fg_load_relaxed(&fg_doorbell.monitor_awake) == 0, 0))
		fg_doorbell_start(self);
}

/* There are fewer donors or spares than there should be. May be called anywhere, also in a signal handler. */
void fg_spawner_ask(void);
