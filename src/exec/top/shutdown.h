/* Shutdown: the runtime gives back what it has, until the next region (floor: exec; called by omp/pause.c). */
#pragma once
#include "exec/thread/identity.h"

/* Ends the kernel threads of the runtime and frees the memory of its donors. The next region starts afresh, with threads whose
 * thread-local storage is new. False: a region is in flight, and nothing was done. The caller, NULL if the runtime has not met it, is
 * in none. */
bool fg_shutdown(struct fg_identity *self);
