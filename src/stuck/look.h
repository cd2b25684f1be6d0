/* Stuck: which regions there are, and whether each of them moves on (floor: stuck; called by the watcher,
 * watcher.c).
 *
 * A region moves on if a member of it, or of a region within, meets a construct of OpenMP. A member meets a construct
 * when it begins or ends it, or takes a chunk. It meets one, too, when it arrives at a barrier or passes it, makes or
 * completes a task, or begins or ceases to wait. A region that has not moved on for the time of FGOMP_STUCK is
 * reported if a member waits meanwhile. As long as all members compute, or are about to, nothing is said. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

/* The watcher calls it on its own kernel thread, again and again. A region that has not moved on for `after` is
 * reported. True: no more looks are needed. */
bool fg_stuck_look(uint64_t now, uint64_t after);
