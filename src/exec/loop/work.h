/* Work: does something wait for a worker's PU? (floor: exec; called by the loops of workers, park.c, birth.c, team and
 * the monitor)
 *
 * The owner of the worker asks, inside, perhaps in the preemption handler, or the monitor does. No runqueue's lock is
 * held: one may be taken where several roots have regions. For others than the owner the answer is a hint. Only the
 * worker's `vain` is written, by the owner. */
#pragma once
#include "exec/thread/identity.h"

/* Something here waits for the PU. */
bool fg_worker_has_work(struct fg_worker *worker);
/* True: if something here waits for a PU, any worker below one of the levels may take it. Nothing waits for this worker
 * alone, and nothing lies on its PU's runqueue. */
bool fg_worker_work_is_shared(struct fg_worker *worker);
/* Something that the worker may steal lies on some runqueue. */
bool fg_worker_may_steal(struct fg_worker *worker);
/* Ready threads where the worker looks for its own work: on its PU's runqueue and on those above. */
unsigned fg_worker_n_ready(struct fg_worker *worker);
