/* Watchdog: finds entities that a policy has left where no PU looks for them, and tells policies of budgets that are
 * used up (floor: exec; called by monitor.c and sim/overseer.c). It lets threads go that were stopped for too long. It
 * asks policies to redistribute whose period is over. It acts on any runqueue, by the functions that policies use. The
 * caller has no identity, and holds no lock. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

/* The monitor calls this. It has no identity, so it is neither inside nor outside, and it holds no lock. A look takes
 * the lock of one runqueue at a time, that of the stopped threads, and that of the live tree. It calls policies without
 * a lock, but `expired` under that of the tree. It takes no lock of the C library, because a preempted thread may hold
 * that. True: an entity lies where only a policy can bring it back, or a thread is stopped, or a bubble has a budget.
 * Then the caller must look again soon. By `watched` it finds what has taken too long: the time for which there were
 * looks, on a clock that stands while the whole process is stopped. */
bool fg_watchdog_look(uint64_t now, uint64_t watched);
