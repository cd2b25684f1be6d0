/* Stuck: the watcher, a thread that looks now and then whether regions move on, if FGOMP_STUCK asks for it (floor:
 * exec; called by team/boot/start.c; team/stuck/look.c has the look itself). */
#pragma once
#include <stdbool.h>
#include <stdint.h>

/* Called when the library is loaded, after the hooks of other files are set. The watcher calls look(now) several
 * times in each `after_ns`, until it returns true. */
void fg_stuck_begin(uint64_t after_ns, bool (*look)(uint64_t now));
void fg_stuck_after_fork(void);
