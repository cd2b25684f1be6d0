/* Spare workers: kernel threads that take over a worker whose own is blocked in the kernel (floor: exec; called by the
 * monitor). */
#pragma once
#include <signal.h>

#include "exec/thread/worker.h"

/* Takes over a worker whose thread looks as if it did not switch: false if it is inside the runtime, or no spare can be
 * had. From one that computes only if another thread can run. */
bool fg_spare_take_over(struct fg_worker *worker, bool computes);
/* The spawner: makes what was found to be wanted. */
void fg_spare_make(void);
/* A root's region is over: waits until its own kernel thread carries it. */
void fg_spare_settle(struct fg_identity *self);
/* The thread pointer of the pthread whose kernel thread the caller is on; NULL: it has that. In a signal handler. */
void *fg_spare_own_tls(void);
/* fg_come_back. */
void fg_spare_come_back(struct fg_identity *self);
/* All workers have ended, the monitor too: ends the kernel threads that are spares. Returns the donors on which some
 * stood, in front of the list. */
struct fg_identity *fg_spare_end_all(struct fg_identity *list);
void fg_spare_after_fork(void);
