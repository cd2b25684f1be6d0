/* Recorders: objects in the program that count accesses, and tell them to the trace (floor: trace; team says when a
 * thread changes its part, omp/record.c adds them, and exec tells the trace of them). They are never removed. */
#pragma once
#include <stdbool.h>

#include "forestgomp/record.h"

/* The recorder is there for good before it is added. `part_of` tells the part of an identity. */
void fg_recorder_add(struct fgomp_recorder *recorder, bool (*part_of)(const void *identity, struct fgomp_part *part));
/* One of them is in the code of the program, which is another build therefore. */
bool fg_recorders_are_hooks(void);
/* The calling identity, which is inside the runtime, begins as a member, or goes on as one. NULL: it has ended. */
void fg_recorders_leave(const void *identity);
/* The kernel thread is about to go on with this identity. */
void fg_recorders_switch(const void *identity);
void fg_recorders_end(void);
