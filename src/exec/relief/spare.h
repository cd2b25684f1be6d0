/* Spare workers: kernel threads that take over a worker whose own kernel thread is blocked in the kernel (floor: exec;
 * called by the monitor, spawner.c, board.c, dock.c, birth.c, shutdown.c and process_fork.c, and through the table of
 * hooks). A spare is idle in the list, has a job, carries a worker, or is blocked while another spare has its worker.
 *
 *     a spare carries a worker => spare of each worker of that ride is its base
 *
 * The monitor calls fg_spare_take_over. The owner of a ride calls fg_spare_base, fg_spare_reserve and fg_spare_resume,
 * inside, perhaps in the preemption handler. The last two are called for other workers, too: by the monitor, by a
 * worker that waits, and in a shutdown. None of these four allocates or waits, and their callers hold no lock. The
 * spawner alone makes spares: it calls fg_spare_make, and has no identity. fg_spare_own_tls runs in a signal
 * handler. */
#pragma once
#include <signal.h>

#include "exec/thread/identity.h"

/* Takes over a worker whose thread seems not to switch. False: the thread is inside the runtime, or there is no spare
 * or no donor. A worker whose thread computes is taken over only if another thread can run. */
bool fg_spare_take_over(struct fg_worker *worker, bool computes);
/* The base of the kernel thread that carries the worker: the worker's thread can leave that by a switch to the base,
 * and the kernel thread is a spare from then on. NULL: there will be one later, or it is a root's. */
struct fg_identity *fg_spare_base(struct fg_worker *worker);
/* Takes an idle spare. NULL: there will be one later. */
void *fg_spare_reserve(void);
/* The reserved spare carries the worker from now on. The worker's thread is saved, and the caller alone has the
 * worker. */
void fg_spare_resume(void *reserved, struct fg_worker *worker);
/* The spawner makes a spare or a shell, where the monitor has asked for one. */
void fg_spare_make(void);
/* The caller is a root whose region is over. Waits until the root's own kernel thread carries its worker. */
void fg_spare_settle(struct fg_identity *self);
/* Runs in a signal handler. Returns the thread pointer of the pthread that owns the caller's kernel thread. NULL: the
 * caller has this pointer already. */
void *fg_spare_own_tls(void);
/* The implementation of fg_come_back. */
void fg_spare_come_back(struct fg_identity *self);
/* All workers have ended, and so has the monitor. Ends the kernel threads that are spares. The bases of some are
 * donors: returns these donors in front of the list. */
struct fg_identity *fg_spare_end_all(struct fg_identity *list);
void fg_spare_after_fork(void);
