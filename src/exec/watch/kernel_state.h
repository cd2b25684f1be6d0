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

/* The monitor alone asks, once a look. */
enum fg_kernel_state fg_kernel_state_of(struct fg_worker *worker);
/* True: the kernel thread computes, or waits in a futex without a limit. So no call of the program returns early
 * after a signal. */
bool fg_kernel_state_may_signal(int tid);
