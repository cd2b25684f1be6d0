/* Monitor: the thread that keeps every runnable thread running (floor: exec; design D6). */
#pragma once
#include "exec/worker.h"

extern struct fg_atomic_u32 fg_monitor_awake;
void fg_monitor_wake(void);

/* Something may come to wait for a PU: the monitor looks after it. One load of a line that is hardly ever written. */
static inline void
fg_monitor_poke(void)
{
	if (__builtin_expect(fg_load_relaxed(&fg_monitor_awake) == 0, 0))
		fg_monitor_wake();
}

/* The calling kernel thread carries this worker from now on. */
void fg_monitor_enlist(struct fg_worker *worker);
