/* CPU share: does a worker have its PU for itself? (floor: exec; called by chores.c and ride.c)
 *
 * A worker that shares its PU with other processes must not spin. It would only burn time that the thread it waits for
 * needs. A worker measures the time during which it neither ran nor slept. If the program did not block meanwhile, the
 * kernel gave the PU to another process for this time.
 *
 * The worker's owner calls these inside the runtime. The look and fg_cpu_share_slept are chores of a worker that waits:
 * it holds no lock then. The look asks the kernel about the calling kernel thread. Nothing here allocates or waits.
 * fg_cpu_share_anew may run in the preemption handler: the thread aboard a ride calls it for the head and for a rider.
 *
 *     the PU counts as shared at a time  <=>  time < until
 *
 * Only this file writes `until`, `period`, `now`, `ran`, `slept`, `sleeps` and `tid`. It sets `strayed`. So does
 * chores.c, which also clears it. The other fields belong to chores.c and ride.c. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "exec/thread/parts_state.h"

/* Looks, if the last look was a millisecond ago or more. now: the time. Returns whether the PU counts as shared. */
bool fg_cpu_share_look(struct fg_cpu_share *sharing, int tid, uint64_t now);
/* The worker's kernel thread has PUs that it had not before: what it has lost until now tells nothing. */
static inline void
fg_cpu_share_anew(struct fg_cpu_share *sharing)
{
	sharing->now = sharing->until = 0;
}
/* The worker has slept for this time. */
static inline void
fg_cpu_share_slept(struct fg_cpu_share *sharing, uint64_t ns)
{
	sharing->slept += ns;
	sharing->sleeps++;
}
