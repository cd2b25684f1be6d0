/* Dock inside (floor: exec; used by dock.c, dock_setup.c and anchor.c only). */
#pragma once
#include "exec/flat/post.h"

/* fg_dock_worker is the code of a new worker's kernel thread, fg_dock_donor that of a docked donor,
 * fg_dock_anchor that of an anchor. fg_dock_wake_all makes all workers look at their docks' lines. All of them are in
 * dock.c. */
void fg_dock_worker(void *worker);
void fg_dock_donor(void);
void fg_dock_anchor(void);
void fg_dock_wake_all(void);
