/* CPU share: has a worker its PU for itself? (floor: exec; design D8; called by idle.c, owner only)
 *
 * Whoever shares PUs with other processes must not spin: it only burns the time that whoever it waits for needs. A
 * worker tells by the time during which it neither ran nor slept, though the program did not block in the meantime: the
 * kernel gave the PU to somebody else. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "exec/thread/worker_state.h"

/* Looks, if the last time was a millisecond ago or more; now: the time. Returns whether the PU counts as shared. */
bool fg_cpu_share_look(struct fg_cpu_share *sharing, int tid, uint64_t now);
/* The worker has slept for so long. */
static inline void
fg_cpu_share_slept(struct fg_cpu_share *sharing, uint64_t ns)
{
	sharing->slept += ns;
	sharing->sleeps++;
}
