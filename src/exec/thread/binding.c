/* Binding (floor: exec): see binding.h. */
#include "exec/thread/binding.h"

void (*fg_worker_rebind)(struct fg_worker *worker, unsigned place);
struct fg_atomic_u32 fg_binding_returns;

void
fg_binding_renew(struct fg_worker *worker)
{
	unsigned place = worker->bound.place;
	worker->bound.returns = fg_load_relaxed(&fg_binding_returns);
	worker->bound.place = 0;
	if (place)
		fg_worker_rebind(worker, place);
}
