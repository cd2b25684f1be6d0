/* Monitor: the thread that keeps every runnable thread running (floor: exec; design D6).
 *
 * It looks every few milliseconds at the workers, only while something may wait for a PU, and sleeps otherwise. A worker that has
 * something waiting and has not switched since the last look
 *     computes:                       gets ticks of its own CPU time, whose signal preempts it (preempt.c)
 *     is blocked in a futex:          gets the signal at once: the wait goes on when the thread is next switched to
 *     is blocked elsewhere in the kernel: is never signalled, a call like poll would return early; a spare worker takes over its PU
 *                                     (spare.c)
 *     cannot be reached by the signal, or has not switched for long whatever was tried: a spare takes over its PU, too. The
 *                                     thread goes on beside it on its own kernel thread. */
#pragma once
#include "exec/thread/worker.h"

/* The doorbell (thread/doorbell.h) was rung while it sleeps; and it is to run. */
void fg_monitor_wake(void);
void fg_monitor_start(struct fg_identity *self);

/* Something waits for the worker's PU. */
bool fg_monitor_waits(struct fg_worker *worker);
/* And since the last look at it the worker has not switched. By one thread at a time. */
bool fg_monitor_stays(struct fg_worker *worker, bool waits);
/* A message has told why the process ends: the caller is about to call exit. */
void fg_monitor_process_ends(void);
/* Ends it, if it runs. While no region is in flight. */
void fg_monitor_end(void);
/* From now on a poke starts it again. */
void fg_monitor_allow(void);
/* The kernel thread computes, or waits in a futex without a limit: no call of the program's returns early if it gets a signal. */
bool fg_monitor_may_signal(int tid);
/* In the child of a fork: there is no monitor any more. */
void fg_monitor_after_fork(void);
