/* Stuck: the watcher, a thread that looks now and then whether regions move on, if FGOMP_STUCK asks for it (floor: exec; begun by
 * team/boot/start.c; team/stuck/look.c has the look itself). */
#pragma once
#include <stdbool.h>
#include <stdint.h>

/* When the library is loaded, once the hooks of other files are set; look(now) is called several times in each `after_ns`, and no more once it
 * is true. */
void fg_stuck_begin(uint64_t after_ns, bool (*look)(uint64_t now));
void fg_stuck_after_fork(void);
