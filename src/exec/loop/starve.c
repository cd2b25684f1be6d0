/* Starving (floor: exec): see starve.h. */
#include "exec/loop/starve.h"

#include <errno.h>
#include <string.h>

#include "base/carrier.h"
#include "base/log.h"

#define STARVE_NS 5000000000 /* if members wait so long to be born, none will be */
#define NAP_NS 1000000

static bool
unborn_wait(struct fg_worker *worker)
{
	struct fg_runqueue *queue = fg_worker_leaf(worker);
	while (queue && fg_load_relaxed(&queue->holder.n_unborn) == 0)
		queue = fg_runqueue_parent(queue);
	return queue;
}

void
fg_starve(struct fg_worker *worker)
{
	struct fg_atomic_u32 nobody = {0};
	uint64_t now = fg_carrier->now();
	if (!unborn_wait(worker) || worker->starved.births != worker->statistics.births || !worker->starved.at) {
		worker->starved.births = worker->statistics.births;
		worker->starved.at = now;
	} else if (now - worker->starved.at > STARVE_NS)
		fg_fatal("Thread creation failed: %s", strerror(EAGAIN));
	fg_carrier->wait(&nobody, 0, NAP_NS);
}
