/* Binding (floor: exec): see binding.h. */
#include "exec/thread/binding.h"

#include <errno.h>

#include "exec/ground/above.h"
#include "exec/ground/options.h"
#include "exec/thread/worker.h"
#include "platform/nearby.h"

struct fg_atomic_u32 fg_binding_returns;

void
fg_binding_renew(struct fg_worker *worker)
{
	unsigned place = worker->bound.place;
	worker->bound.returns = fg_load_relaxed(&fg_binding_returns);
	worker->bound.place = 0;
	if (place)
		fg_exec_above.rebind(worker, place);
}

void
fg_binding_go_home(struct fg_worker *worker)
{
	const struct fg_runqueue *leaf = fg_worker_leaf(worker);
	int saved = errno; /* of the thread that runs here at the moment */
	if (!worker->bound.place && fg_cpuset_has(&fg_exec_options.cpus, leaf->cpu))
		fg_nearby_go_to(leaf->cpu);
	errno = saved;
}
