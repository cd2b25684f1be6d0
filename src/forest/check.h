/* Checks and prints what lies where (floor: forest; for tests, debug builds and those who write a policy). */
#pragma once
#include <stdio.h>

#include "forest/runqueue.h"

/* Of the level and all below: every entity of a list names its holder, every count is right, every bubble has something in it.
 * Returns NULL, or what is wrong. The level is locked (fg_runqueue_lock_all), or nobody else is there. */
const char *fg_runqueue_check(struct fg_runqueue *level);
/* Threads, ready or unborn, on the level and all below. */
unsigned fg_runqueue_threads(struct fg_runqueue *level);
void fg_runqueue_print(struct fg_runqueue *level, FILE *file);
