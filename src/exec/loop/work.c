/* Work (floor: exec): see work.h. */
#include "exec/loop/work.h"

/* Of what lies on its runqueues something is for a worker that may not take everything. It asks often, and remembers
 * that there was nothing until something is put there: it counts the puts before it looks, under the locks under which
 * they are counted. */
static bool
has_own_work(struct fg_worker *worker)
{
	struct fg_runqueue *leaf = fg_worker_leaf(worker);
	const struct fg_identity *self = fg_self();
	bool asks_itself = self && self->worker == worker;
	uint32_t puts = 0;
	for (struct fg_runqueue *queue = leaf; queue; queue = fg_runqueue_parent(queue))
		puts += fg_load_relaxed(&queue->holder.puts);
	if (asks_itself && worker->vain.leaf == leaf && worker->vain.puts == puts)
		return false;
	for (struct fg_runqueue *queue = leaf; queue; queue = fg_runqueue_parent(queue))
		if (fg_runqueue_has_of(queue, worker->home->root))
			return true;
	if (asks_itself) {
		worker->vain.leaf = leaf;
		worker->vain.puts = puts;
	}
	return false;
}

FG_READS_HINTS bool
fg_worker_has_work(struct fg_worker *worker)
{
	if (fg_load_relaxed(&worker->pinned.count) != 0 || fg_load_relaxed(&worker->crew.waiting) != 0 ||
	    fg_load_relaxed(&worker->relief.claimed))
		return true;
	for (struct fg_runqueue *queue = fg_worker_leaf(worker); queue; queue = fg_runqueue_parent(queue))
		if (fg_runqueue_has_work(queue))
			return fg_worker_may_take(worker, NULL) || has_own_work(worker);
	return false;
}
