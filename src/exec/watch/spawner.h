/* Spawner: the thread that makes other threads ahead of need, free donors and spares, and ends free donors that nothing
 * uses (floor: exec; called by monitor.c and hasten.c; all others ask through thread/doorbell.h).
 *
 * A thread that makes another one takes locks of the C library. Their holder may be a thread that was preempted, or
 * that waits for its PU. Only the monitor makes sure that such a holder goes on. So the monitor never waits for the
 * spawner. It takes none of these locks but as it starts the spawner, while no thread is preempted. While the spawner
 * waits, spares and donors that already exist carry on. It makes a spare when the last idle one is taken, and keeps at
 * least FG_STOCK_MIN donors free. spawner.c has the proof that no request is lost.
 *
 * The callers are the monitor, which has no identity and holds no lock, the thread that ends it, and the child of a
 * fork. Any thread may ask fg_spawner_is_there. */
#pragma once
#include <stdbool.h>

/* Starts the spawner, if it does not run. Returns 0 or an error number. The caller has all signals blocked. */
int fg_spawner_start(void);
/* It was started. Before that no thread may be preempted: the monitor takes locks of the C library as it starts the
 * spawner, and no other thread makes the spares that let their holder go on. */
bool fg_spawner_is_there(void);
/* The monitor's look, once in a while: asks the spawner if there are fewer donors than wanted. */
void fg_spawner_look(void);
/* Ends the spawner, if it runs. The caller guarantees that no region is in flight. */
void fg_spawner_end(void);
void fg_spawner_after_fork(void);
