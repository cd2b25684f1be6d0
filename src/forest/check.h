/* Checks and prints where entities lie (floor: forest; for tests and for debugging a policy).
 *
 * The caller is a test, or a debugger while nothing moves. It holds the locks of the level and of all below. It only
 * reads. */
#pragma once
#include <stdio.h>

#include "forest/runqueue.h"

/* Checks the level and all below. Every entity of a list names its holder, every count is right, and every bubble has
 * something in it. Returns NULL, or a text that says what is wrong. The level is locked (fg_runqueue_lock_all), or no
 * other thread uses it. */
const char *fg_runqueue_check(struct fg_runqueue *level);
/* Threads, ready or unborn, on the level and all below. */
unsigned fg_runqueue_threads(struct fg_runqueue *level);
void fg_runqueue_print(struct fg_runqueue *level, FILE *file);
