/* Work: whether something waits for a worker's PU (floor: exec; called by the loops of workers, and by all that look at
 * them). */
#pragma once
#include "exec/thread/worker.h"

/* Something here waits for the PU. */
bool fg_worker_has_work(struct fg_worker *worker);
