/* Spare workers: kernel threads that take over a worker whose own is blocked in the kernel (floor: exec; called by the monitor). */
#pragma once
#include <signal.h>

#include "exec/thread/worker.h"

/* The thread that the worker carries, if it is in the program's code: it waits should it enter the runtime, and all that is the
 * worker's is the caller's until fg_spare_let_go. NULL: it is inside the runtime, or held already. Costs every PU some microseconds. */
struct fg_identity *fg_spare_hold(struct fg_worker *worker);
void fg_spare_let_go(struct fg_identity *thread);
/* For the preemption handler: nobody holds the caller or has taken its worker. */
bool fg_spare_here(struct fg_identity *self);
/* A spare has taken the caller's worker, and the caller has not come back yet. */
bool fg_spare_has_taken(const struct fg_identity *self);
/* Takes over a worker whose thread looks as if it did not switch: false if it is inside the runtime, or no spare can be had. From one that
 * computes only if another thread can run. */
bool fg_spare_take_over(struct fg_worker *worker, bool computes);
/* The spawner: makes what was found to be wanted. */
void fg_spare_make(void);
/* The spare that carries the worker is to give it back: its home, to be switched to; NULL: nothing of the kind. */
struct fg_identity *fg_spare_claimed(struct fg_worker *worker);
/* A root's region is over: waits until its own kernel thread carries it. */
void fg_spare_settle(struct fg_identity *self);
/* The thread pointer of the pthread that is the kernel thread `tid`, if that was made as a spare. */
void *fg_spare_tls(int tid);
/* All workers have ended, the monitor too: ends the kernel threads that are spares. Returns the donors on which some stood, in front of
 * the list. */
struct fg_identity *fg_spare_end_all(struct fg_identity *list);
void fg_spare_after_fork(void);
