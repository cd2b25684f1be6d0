/* Kernel state: what the kernel thread of a worker does just now, as the kernel tells it (floor: exec; called by
 * monitor.c, and by watch.c of the simulated machine). */
#pragma once
#include <stdbool.h>

struct fg_worker;

enum fg_kernel_state {
	FG_KERNEL_RUNNING,  /* or it waits for a PU */
	FG_KERNEL_IN_FUTEX, /* without a timeout */
	FG_KERNEL_BLOCKED
};

/* The monitor alone asks, once a look. `again`: it has asked at its last look, too. A thread that has used CPU time
 * since then counts as running. If it has just stopped, the next look sees that. */
enum fg_kernel_state fg_kernel_state_of(struct fg_worker *worker, bool again);
/* True: the kernel thread computes, or waits in a futex without a limit. So no call of the program returns early
 * after a signal. */
bool fg_kernel_state_may_signal(int tid);
