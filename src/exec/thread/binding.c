/* Binding (floor: exec): see binding.h. */
#include "exec/thread/binding.h"

#include "exec/ground/above.h"

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
