/* Worker (floor: exec): see worker.h. Here are the list of all workers, and their lanes of a trace. */
#include "exec/thread/worker.h"

#include "exec/thread/worker_parts.h"
#include "forest/live.h"

struct fg_all_workers fg_all_workers;

void
fg_worker_init(struct fg_worker *worker, struct fg_identity *home, unsigned slot, struct fg_runqueue *leaf)
{
	assert(home && leaf);
	worker->home = worker->waiter = home;
	fg_store_relaxed(&worker->current, home);
	worker->slot = slot;
	fg_store_relaxed(&worker->leaf, leaf);
	fg_store_relaxed(&worker->seat, leaf);
	fg_parts(worker)->bound.returns = fg_load_relaxed(&fg_all_workers.returns);
	worker->pinned.tail = &worker->pinned.first;
	fg_spinlock_init(&worker->pinned.lock, FG_RANK_INBOX);
	home->worker = home->pinned = worker;
	fg_live_add(&worker->live);
	worker->all_next = fg_load_acquire(&fg_all_workers.first);
	while (!fg_cas_acq_rel(&fg_all_workers.first, (void **)&worker->all_next, worker))
		;
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
fg_worker_trace_switch(const struct fg_identity *self, const struct fg_identity *next)
{
	fg_worker_trace(FG_EVENT_suspend, self, 0, 0);
	fg_worker_trace(FG_EVENT_resume, next, 0, 0);
	fg_sums_leave(self->thread.sums, self->thread.skip & 1);
	fg_sums_resume(next->thread.sums);
}

void
fg_worker_renew_tick_slow(struct fg_worker *head)
{
	if (fg_parts(head)->preempt.timer_ticks)
		fg_tick_renew(&fg_parts(head)->preempt.tick);
}

struct fg_identity *
fg_worker_claimed(struct fg_worker *worker)
{
	return fg_load_acquire(&fg_parts(worker)->relief.claimed) ? fg_load_relaxed(&worker->spare) : NULL;
}
