/* Starving (floor: exec): see starve.h. */
#include "exec/loop/starve.h"

#include <errno.h>
#include <string.h>

#include "base/carrier.h"
#include "base/log.h"
#include "exec/thread/worker.h"
#include "exec/thread/worker_parts.h"

/* After so many looks at members that wait to be born, none will be: while other threads run, and while all threads
 * wait. The caller sleeps between two looks. Time does not tell, because the process may have been stopped, its CPU
 * quota may have been used up, or the worker may have run other threads meanwhile. */
#define STARVE_LOOKS 5000
#define STILL_LOOKS 80
#define NAP_NS 1000000

static bool
unborn_wait(struct fg_worker *worker)
{
	struct fg_runqueue *queue = fg_worker_leaf(worker);
	while (queue && fg_load_relaxed(&queue->holder.n_unborn) == 0)
		queue = fg_runqueue_parent(queue);
	return queue;
}

/* The worker sleeps, or its thread is inside the runtime and could only switch to one that is there already. */
FG_READS_HINTS static bool
waits(struct fg_worker *worker)
{
	if (fg_load_relaxed(&worker->asleep) || (!worker->carries && worker->home->tid == 0))
		return true;
	const struct fg_identity *current = fg_load_acquire(&worker->current);
	return fg_own_load_relaxed(&current->in_runtime) && !worker->donors.first;
}

/* True: each worker waits, and no thread has left its worker because it was blocked. The caller starves. */
FG_READS_HINTS static bool
all_wait(void)
{
	bool all = true;
	fg_identities_read();
	for (struct fg_worker *worker = fg_load_acquire(&fg_all_workers.first); worker && all;
	     worker = worker->all_next)
		all = waits(worker) && fg_parts(worker)->statistics.spares == 0;
	fg_identities_read_end();
	return all;
}

/* It changes with each switch of a worker. */
static uint64_t
switches(void)
{
	uint64_t sum = 0;
	FG_EACH_WORKER (worker)
		sum += fg_load_relaxed(&worker->progress);
	return sum;
}

void
fg_starve(struct fg_worker *worker)
{
	struct fg_atomic_u32 nobody = {0};
	uint64_t made = switches();
	assert(fg_worker_is_own(worker) && !worker->donors.first && fg_lock_order_none("starves with"));
	if (fg_self()->makes_donor) { /* it waits for a lock of the program's malloc, and will have its donor */
		fg_carrier->wait(&nobody, 0, NAP_NS);
		return;
	}
	if (!unborn_wait(worker) || fg_parts(worker)->starved.births != fg_parts(worker)->statistics.births) {
		fg_parts(worker)->starved.births = fg_parts(worker)->statistics.births;
		fg_parts(worker)->starved.looks = 0;
	}
	bool still = fg_parts(worker)->starved.looks && fg_parts(worker)->starved.switches == made && all_wait();
	fg_parts(worker)->starved.switches = made;
	fg_parts(worker)->starved.still = still ? fg_parts(worker)->starved.still + 1 : 0;
	if (++fg_parts(worker)->starved.looks > STARVE_LOOKS || fg_parts(worker)->starved.still > STILL_LOOKS)
		fg_fatal("Thread creation failed: %s", strerror(EAGAIN));
	fg_carrier->wait(&nobody, 0, NAP_NS);
}
