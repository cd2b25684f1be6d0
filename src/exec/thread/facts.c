/* Facts of workers (floor: exec): see facts.h. */
#include "exec/thread/facts.h"

#include <string.h>

#include "exec/thread/root_state.h"
#include "exec/thread/whole_worker.h"
#include "exec/thread/worker.h"
#include "exec/thread/worker_parts.h"
#include "machine/level.h"
#include "trace/trace.h"

struct fg_worker *
fg_worker_after(const struct fg_worker *worker)
{
	return worker ? worker->all_next : fg_load_acquire(&fg_all_workers.first);
}

FG_READS_HINTS bool
fg_worker_is_carrying(const struct fg_worker *worker)
{
	return worker->carries;
}

FG_READS_HINTS bool
fg_worker_is_of_root(const struct fg_worker *worker)
{
	return worker->home->root != NULL;
}

unsigned
fg_worker_pu(const struct fg_worker *worker)
{
	return fg_worker_leaf((struct fg_worker *)worker)->first_pu;
}

FG_READS_HINTS const struct fg_identity *
fg_worker_carried(const struct fg_worker *worker)
{
	return fg_load_relaxed(&worker->current);
}

FG_READS_HINTS unsigned
fg_worker_members(const struct fg_worker *worker)
{
	return worker->crew.count;
}

FG_READS_HINTS int
fg_worker_tid(const struct fg_worker *worker)
{
	return worker->tid;
}

FG_READS_HINTS bool
fg_worker_ticks(void)
{
	FG_EACH_WORKER (worker)
		if (worker->timer_on)
			return true;
	return false;
}

unsigned
fg_worker_distance(struct fg_worker *a, struct fg_worker *b)
{
	if (a == b || !a || !b)
		return a != b;
	unsigned distance = 1;
	for (struct fg_runqueue *up = fg_worker_leaf(a); up; up = fg_runqueue_parent(up), distance++)
		for (struct fg_runqueue *other = fg_worker_leaf(b); other; other = fg_runqueue_parent(other))
			if (up == other)
				return distance;
	return distance;
}

struct fg_runqueue *
fg_worker_near(struct fg_worker *worker, unsigned *distance)
{
	struct fg_runqueue *near = NULL;
	struct fg_runqueue *up = worker ? fg_worker_leaf(worker) : NULL;
	for (unsigned at = 1; up && up->n_pus <= FG_NEAR_MOST; up = fg_runqueue_parent(up), at++)
		if (up->kinds & (1u << FG_L3 | 1u << FG_L2)) {
			near = up;
			*distance = at;
		}
	return near;
}

uint64_t
fg_worker_phase(const struct fg_worker *worker)
{
	return worker->crew.phase;
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

struct fg_root *
fg_root_around(const struct fg_identity *self)
{
	return self->root ? self->root : self->crew_of ? self->crew_of->crew.root : NULL;
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
fg_worker_lane(struct fg_trace_worker *worker)
{
	static __thread struct fg_trace_lane *own;
	struct fg_identity *self = fg_self();
	assert(!fg_self_preemptible()); /* else another thread could write the lane at the same time */
	if (!self) {
		*worker = (struct fg_trace_worker){0};
		return &own;
	}
	*worker = (struct fg_trace_worker){fg_worker_leaf(self->worker)->first_pu, self->worker->tid};
	return &self->worker->trace;
}

size_t
fg_worker_bytes(void)
{
	return sizeof(struct fg_whole_worker);
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

void
fg_workers_forget(void)
{
	fg_store_relaxed(&fg_all_workers.first, NULL);
}

void
fg_worker_after_fork(struct fg_identity *self, struct fg_root *root)
{
	struct fg_worker *worker = self->worker;
	struct fg_runqueue *leaf = fg_worker_leaf(worker);
	memset(fg_parts(worker), 0, sizeof(struct fg_whole_worker));
	fg_worker_init(worker, self, 0, leaf);
	/* A root carries nothing outside its regions. Any other caller carries threads for good, because only a root
	 * leaves its births (fg_births_leave_slow). */
	if (!self->root)
		fg_worker_become(worker, FG_WORKER_CARRIES);
	worker->crew.root = root;
	worker->crew.fork = root ? &root->dock.fork : NULL;
	assert(fg_worker_valid(worker) && fg_worker_is_own(worker) && fg_load_stable(&worker->current) == self);
}
