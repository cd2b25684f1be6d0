/* Doorbell: how all others call the two threads that look after them, the monitor and the spawner (floor: exec;
 * monitor.h and spawner.h are above). */
#pragma once
#include "base/atomic.h"

struct fg_identity;

extern struct fg_atomic_u32 fg_monitor_awake;
void fg_doorbell_wake(void);
void fg_doorbell_start(struct fg_identity *self);
/* Something may come to wait for a PU: the monitor looks after it. One load of a line that is hardly ever written. */
static inline void
fg_monitor_poke(void)
{
	if (__builtin_expect(fg_load_relaxed(&fg_monitor_awake) == 0, 0))
		fg_doorbell_wake();
}
/* The same, and starts it if need be: by who opens a region with more members than PUs, or a nested one, and holds no
 * lock. It leaves the runtime meanwhile. */
static inline void
fg_monitor_want(struct fg_identity *self)
{
	if (__builtin_expect(fg_load_relaxed(&fg_monitor_awake) == 0, 0))
		fg_doorbell_start(self);
}

/* 1: the spawner has been asked, and has not taken it up (spawner.c). */
extern struct fg_atomic_u32 fg_spawner_asked;
/* There are fewer donors or spares than there should be. From anywhere, also from a signal handler. */
void fg_spawner_ask(void);
