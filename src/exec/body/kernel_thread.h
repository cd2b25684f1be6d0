/* Kernel thread: begin and end of the kernel threads of workers (floor: exec; called by workers.c, dock.c,
 * kernel_team.c, spare.c, donor.c, root.c, watch and process_fork.c).
 *
 * the tid of a worker that is carried, and of its home there == that of the kernel thread (fg_kernel_thread_enlist)
 *
 * The caller acts on its own kernel thread, without a lock and in no signal handler. Only start and gone act on another
 * one: start is called outside, because it makes a pthread, and gone may sleep. */
#pragma once
#include "exec/thread/identity.h"

/* Makes a kernel thread whose home is worker->home, and which runs start(worker). False: the system gives no more. */
bool fg_kernel_thread_start(void (*start)(void *worker), struct fg_worker *worker);
/* The first call that such a thread makes. */
void fg_kernel_thread_begin(struct fg_worker *worker);
/* The calling kernel thread carries this worker from now on. */
void fg_kernel_thread_enlist(struct fg_worker *worker);
/* For the kernel thread of a worker that has ended, on any stack. It ends on the home's own stack. */
_Noreturn void fg_kernel_thread_end_home(struct fg_identity *self, struct fg_worker *worker, void (*callback)(void *),
					 void *arg);
/* The worker that carries the caller ends. It carries no other thread any more. */
_Noreturn void fg_kernel_thread_end_worker(struct fg_identity *self);
/* The running pthread ends, on its own kernel thread. What it carried is over. */
_Noreturn void fg_kernel_thread_exit(void);
/* Waits until the kernel thread of this number, which is about to end, has ended: for so many steps at most. False: it
 * is still there. */
bool fg_kernel_thread_gone(int tid, unsigned steps);
#define FG_GONE_STEPS 25000 /* half a second, because destructors of the program may wait for its locks */
