/* Stuck: which regions there are, and whether each of them moves on (floor: team; boot/start.c begins it, if
 * FGOMP_STUCK asks for it).
 *
 * A region has not moved on if no member of it, or of a region within, has met a construct of OpenMP for that long. A
 * member meets a construct when it begins or ends it, or takes a chunk. It meets one, too, when it arrives at a barrier
 * or passes it, makes or completes a task, or begins or ceases to wait. Such a region is reported if a member waits
 * meanwhile. As long as all members compute, or are about to, nothing is said. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

/* For fg_stuck_begin. True: no more looks are needed. */
bool fg_stuck_look(uint64_t now);
void fg_stuck_after(uint64_t after_ns);
