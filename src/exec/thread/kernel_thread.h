/* Starting the kernel threads of workers (floor: exec; called by dock.c and spare.c). */
#pragma once
#include "exec/thread/worker.h"

/* A kernel thread whose home is worker->home runs start(worker); false if the system gives no more. */
bool fg_start_worker(void (*start)(void *worker), struct fg_worker *worker);
/* Up to this time a worker may share the PU of its maker, by which it was started just now: those that wait must not keep it from its start. */
extern struct fg_atomic_u64 fg_start_crowded;
/* First thing such a thread does. */
void fg_start_kernel_thread(struct fg_worker *worker);
