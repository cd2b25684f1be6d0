/* Recorders: objects in the program that count accesses, and tell them to the trace (floor: trace; team says when a
 * thread changes its part, omp/record.c adds them, and exec tells the trace of them). They are never removed. */
#pragma once
#include <stdbool.h>

#include "forestgomp/record.h"

/* It is there for good before it is added. */
void fg_recorder_add(struct fgomp_recorder *recorder);
bool fg_recorders_any(void);
/* The calling thread, which is inside the runtime, begins or ends as a member. */
void fg_recorders_leave(void);
void fg_recorders_end(void);
