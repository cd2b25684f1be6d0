/* Starting the kernel threads of workers (floor: exec; called by dock.c and spare.c). */
#pragma once
#include "exec/worker.h"

/* A kernel thread whose home is worker->home runs start(worker); false if the system gives no more. */
/* Kernel threads of workers that were made and have not begun yet. One of them may wait for the PU of a kernel thread that waits for it. */
extern struct fg_atomic_u32 fg_start_pending;
bool fg_start_worker(void (*start)(void *worker), struct fg_worker *worker);
/* First thing such a thread does. */
void fg_start_kernel_thread(struct fg_worker *worker);
