/* Spare workers: kernel threads that take over a worker whose own is blocked in the kernel (floor: exec; called by the monitor). */
#pragma once
#include <signal.h>

#include "exec/worker.h"

/* Proposes to take over a worker that looks blocked: false if its thread is inside the runtime, or no spare can be had. */
bool fg_spare_take_over(struct fg_worker *worker);
/* The spare that carries the worker is to give it back: its home, to be switched to; NULL: nothing of the kind. */
struct fg_identity *fg_spare_claimed(struct fg_worker *worker);
/* A root's region is over: waits until its own kernel thread carries it. */
void fg_spare_settle(struct fg_identity *self);
/* The signal mask of spares, which run the program's code: that of the thread that starts the monitor. */
void fg_spare_signal_mask(const sigset_t *mask);
/* The thread pointer of the pthread that is the kernel thread `tid`, if that was made as a spare. */
void *fg_spare_tls(int tid);
void fg_spare_after_fork(void);
