/* Watchdog: finds entities that a policy has left where no PU looks for them, and tells policies of budgets that are
 * used up (floor: exec; called by monitor.c and sim/overseer.c). */
#pragma once
#include <stdbool.h>
#include <stdint.h>

/* The monitor calls this. It has no identity, so it is neither inside nor outside, and it holds no lock. It takes
 * the lock of one runqueue at a time, and calls policies without. It takes no lock of the C library, because a
 * preempted thread may hold that. True: an
 * entity lies where only a policy can bring it back, so the caller must look again soon. */
bool fg_watchdog_look(uint64_t now);
