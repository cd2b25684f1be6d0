/* Work (floor: exec): see work.h. */
#include "exec/loop/work.h"

#include "exec/thread/worker.h"
#include "exec/thread/worker_parts.h"
#include "sched/policy.h"

/* Tells whether something on the runqueues is for a worker that may not take everything. The worker asks often. So it
 * remembers that there was nothing, until something is put there. It counts the puts before it looks, and puts are
 * counted under the locks under which the look is made. */
static bool
has_own_work(struct fg_worker *worker)
{
	struct fg_runqueue *leaf = fg_worker_leaf(worker);
	const struct fg_identity *self = fg_self();
	bool asks_itself = self && self->worker == worker;
	uint32_t puts = 0;
	for (struct fg_runqueue *queue = leaf; queue; queue = fg_runqueue_parent(queue))
		puts += fg_load_relaxed(&queue->holder.puts);
	if (asks_itself && fg_parts(worker)->vain.leaf == leaf && fg_parts(worker)->vain.puts == puts)
		return false;
	for (struct fg_runqueue *queue = leaf; queue; queue = fg_runqueue_parent(queue))
		if (fg_runqueue_has_of(queue, worker->home->root))
			return true;
	if (asks_itself) {
		fg_parts(worker)->vain.leaf = leaf;
		fg_parts(worker)->vain.puts = puts;
	}
	return false;
}

FG_READS_HINTS bool
fg_worker_has_work(struct fg_worker *worker)
{
	if (fg_load_relaxed(&worker->pinned.count) != 0 || fg_load_relaxed(&worker->crew.waiting) != 0 ||
	    fg_load_relaxed(&fg_parts(worker)->relief.claimed))
		return true;
	for (struct fg_runqueue *queue = fg_worker_leaf(worker); queue; queue = fg_runqueue_parent(queue))
		if (fg_runqueue_has_work(queue))
			return fg_worker_may_take(worker, NULL) || has_own_work(worker);
	return false;
}

FG_READS_HINTS bool
fg_worker_work_is_shared(struct fg_worker *worker)
{
	return fg_load_relaxed(&worker->pinned.count) == 0 && fg_load_relaxed(&worker->crew.waiting) == 0 &&
	       fg_load_relaxed(&fg_parts(worker)->relief.claimed) == 0 && !fg_runqueue_has_work(fg_worker_leaf(worker));
}

/* If `only` is not NULL, the work must be of this origin. */
static bool
work_below(struct fg_runqueue *level, const void *only)
{
	if (fg_runqueue_has_work(level) && (!only || fg_runqueue_has_of(level, only)))
		return true;
	const struct fg_runqueue_list *below = fg_runqueue_below(level);
	for (unsigned i = 0; below && i < below->n; i++)
		if (work_below(below->queue[i], only))
			return true;
	return false;
}

bool
fg_worker_may_steal(struct fg_worker *worker)
{
	if (!fg_policy_steals())
		return false;
	struct fg_runqueue *top = fg_worker_leaf(worker);
	for (struct fg_runqueue *up; (up = fg_runqueue_parent(top));)
		top = up;
	return work_below(top, fg_load_relaxed(&fg_bubble_origins.several) ? fg_worker_only(worker) : NULL);
}

unsigned
fg_worker_n_ready(struct fg_worker *worker)
{
	unsigned ready = 0;
	for (struct fg_runqueue *queue = fg_worker_leaf(worker); queue; queue = fg_runqueue_parent(queue))
		ready += fg_load_relaxed(&queue->holder.n_ready);
	return ready;
}
