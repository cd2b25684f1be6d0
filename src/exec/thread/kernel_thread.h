/* Kernel threads of workers: starting and ending them (floor: exec; called by workers.c,
 * kernel_team.c, dock.c and spare.c). */
#pragma once
#include "exec/thread/worker.h"

/* A kernel thread whose home is worker->home runs start(worker); false if the system gives no more. */
bool fg_kernel_thread_start(void (*start)(void *worker), struct fg_worker *worker);
/* Up to this time a worker may share the PU of its maker, by which it was started just now: those that wait must not
 * keep it from its start. */
extern struct fg_atomic_u64 fg_kernel_thread_crowded;
/* First thing such a thread does. */
void fg_kernel_thread_begin(struct fg_worker *worker);
/* The calling kernel thread carries this worker from now on. */
void fg_kernel_thread_enlist(struct fg_worker *worker);
/* For the kernel thread of a worker that has ended, from whatever stack: ends on the home's own. */
_Noreturn void fg_kernel_thread_end_home(struct fg_identity *self, struct fg_worker *worker, void (*callback)(void *),
					 void *arg);
/* The worker that carries the caller ends: nothing else is carried by it any more. */
_Noreturn void fg_kernel_thread_end_worker(struct fg_identity *self);
