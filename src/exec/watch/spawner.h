/* Spawner: the thread that makes other threads ahead of need, for the monitor: free donors and spares (floor: exec; called by monitor.c and
 * spare.c).
 *
 * Whoever makes a thread takes locks of the C library, and their holder may be a thread that was preempted, or that waits for its PU. Only
 * the monitor sees to it that it goes on; so the monitor takes none of these locks, and never waits for the spawner. While
 * the spawner waits, spares and donors that are there already carry on: of each it makes one more than is used. */
#pragma once
#include <stdbool.h>

/* Starts it, if it does not run. 0, or an error number. The caller has all signals blocked. */
int fg_spawner_start(void);
/* The monitor's look, once in a while: asks if there are fewer. */
void fg_spawner_look(void);
/* Ends it, if it runs. While no region is in flight. */
void fg_spawner_end(void);
void fg_spawner_after_fork(void);
