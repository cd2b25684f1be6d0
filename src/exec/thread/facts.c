/* Facts of workers (floor: exec): see facts.h. */
#include "exec/thread/facts.h"

#include "exec/thread/worker.h"
#include "exec/thread/worker_parts.h"

unsigned
fg_worker_pu(const struct fg_worker *worker)
{
	return fg_worker_leaf((struct fg_worker *)worker)->first_pu;
}

FG_READS_HINTS bool
fg_worker_runs(const struct fg_worker *worker, const struct fg_identity *thread)
{
	return fg_load_relaxed(&worker->current) == thread;
}

uint32_t
fg_worker_progress(const struct fg_worker *worker)
{
	return fg_load_relaxed(&worker->progress);
}

FG_READS_HINTS bool
fg_worker_serves(const struct fg_runqueue *queue, const struct fg_entity *entity)
{
	bool several = fg_load_relaxed(&fg_bubble_origins.several);
	FG_EACH_WORKER (worker) {
		const struct fg_runqueue *seat = fg_load_relaxed(&worker->seat);
		if (worker->carries && seat->first_pu - queue->first_pu < queue->n_pus &&
		    (!several || fg_worker_may_take(worker, fg_entity_origin(entity))))
			return true;
	}
	return false;
}

bool
fg_root_is_outside(const struct fg_identity *self)
{
	return self->root && !self->worker->carries;
}

/* Within a region another kernel thread may carry a root: a spare. */
bool
fg_root_is_at_home(const struct fg_identity *self)
{
	return self->root && (!fg_load_relaxed(&self->worker->spare) || fg_is_taken(self));
}

/* The monitor calls functions of policies, and is no worker. It has a lane of its own. */
struct fg_trace_lane **
fg_worker_lane(unsigned *pu)
{
	static __thread struct fg_trace_lane *own;
	struct fg_identity *self = fg_self();
	assert(!fg_self_preemptible()); /* else another thread could write the lane at the same time */
	if (!self) {
		*pu = 0;
		return &own;
	}
	*pu = fg_worker_leaf(self->worker)->first_pu;
	return &self->worker->trace;
}

void
fg_statistics_sum(struct fg_statistics *sum)
{
	FG_EACH_WORKER (worker) {
#define ADD(field, text) sum->field += fg_parts(worker)->statistics.field;
		FG_STATISTICS(ADD)
#undef ADD
	}
}
