/* Idle: how a worker without work waits: it spins, then sleeps (floor: exec; called by the loops of loop.c, by park.c
 * and kernel_team.c). */
#pragma once
#include "exec/thread/wake.h"

struct fg_patience {
	unsigned turns;
	uint64_t until;
};
/* One turn of a spinning wait; false: it has spun long enough, sleep. How long that is depends on whether the kernel
 * lets this kernel thread have its PU for itself. */
bool fg_patience_spin(struct fg_patience *patience, struct fg_worker *worker);
/* True: somebody has woken it, or would have. */
bool fg_idle_sleep(struct fg_worker *worker, bool (*ready)(struct fg_worker *worker));
/* The worker might have been woken for what lies on some runqueue, and does not take it, or may not any more: somebody
 * else is woken instead. */
void fg_idle_pass_on(struct fg_worker *worker);
