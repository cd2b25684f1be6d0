/* All workers: where their list begins, and a count that concerns all of them (floor: exec; used by worker.h, online.c
 * and team/boot/stuck.c). So a file that needs these two words does not see the worker. worker.c adds the workers. Any
 * thread may read them at any time. */
#pragma once
#include "base/atomic.h"

extern struct fg_all_workers {
	struct fg_atomic_ptr first; /* newest first, by all_next. The list shrinks only in the child of a fork */
	/* Counts how often PUs came back, or the mask of the process changed: kernel threads are bound anew. */
	struct fg_atomic_u32 returns;
} fg_all_workers;
