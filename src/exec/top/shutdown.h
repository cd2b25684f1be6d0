/* Shutdown: the runtime gives back its threads and memory, until the next region (floor: exec; called by omp/pause.c,
 * and through the table of hooks where the last root ends). The caller is inside or outside, holds no lock, is in no
 * signal handler, and may wait for seconds. shutdown.c has the order in which things end. */
#pragma once
#include "exec/thread/identity.h"

/* Ends the kernel threads of the runtime and frees the memory of its donors. The next region starts afresh, with
 * threads whose thread-local storage is new. The caller is in no region, and is NULL if the runtime has not met it.
 * False: a region is in flight, and nothing was done. */
bool fg_shutdown(struct fg_identity *self);
