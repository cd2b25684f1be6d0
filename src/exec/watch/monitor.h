/* Monitor: the thread that keeps every runnable thread running (floor: exec; called by shutdown.c and process_fork.c,
 * through tables of hooks by doorbell.c and log.c, and by watch.c and overseer.c of sim).
 *
 * It is a kernel thread without an identity, with all signals blocked. (It may become a root where a malloc of the
 * program uses OpenMP. It meets no region all the same.) So the fields of workers and threads are hints to it; `watch`
 * of a worker is its own, but for watch.ride (grant/grant.h). It takes spin locks of the runtime. It takes no lock of
 * the C library, except as it starts the spawner, while nobody is preempted (spawner.h). Policies' functions run on it,
 * too. fg_monitor_wake may be called anywhere; fg_monitor_start steps out.
 *
 * It looks every few milliseconds at the workers, only while something may wait for a PU, and sleeps otherwise. It
 * acts on a worker for which something waits and which has not switched since the last look. What it does depends on
 * the worker's thread:
 *
 *     computes                   It gets ticks of its own CPU time, whose signal preempts it (preempt.c).
 *     blocked in a futex         It gets the signal at once. The wait goes on when the thread is next switched to.
 *     blocked elsewhere          It is never signalled, because a call like poll would return early.
 *                                A spare takes over its PU (relief/spare.c).
 *     signal cannot reach it,    A spare takes over its PU, too. The thread goes on beside it on its own kernel thread.
 *     or nothing else has helped */
#pragma once
#include "exec/thread/identity.h"

/* Two hooks for thread/doorbell.h. The first: the doorbell was rung while the monitor sleeps. The second: the
 * monitor must run. */
void fg_monitor_wake(void);
void fg_monitor_start(struct fg_identity *self);

/* True: something waits for the worker's PU. */
bool fg_monitor_waits(struct fg_worker *worker);
/* True: something waits, and the worker has not switched since the last look at it. Only one thread at a time may
 * call this. */
bool fg_monitor_stays(struct fg_worker *worker, bool waits);
/* The caller is about to call exit, and a message has already told why the process ends. */
void fg_monitor_process_ends(void);
/* Ends the monitor, if it runs. The caller guarantees that no region is in flight. */
void fg_monitor_end(void);
/* From now on a request for the monitor may start it again. */
void fg_monitor_allow(void);
/* In the child of a fork, where the monitor does not exist any more. */
void fg_monitor_after_fork(void);
