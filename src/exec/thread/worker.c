/* Worker (floor: exec): see worker.h. Here is the list of all workers. */
#include "exec/thread/worker.h"

#include "exec/thread/worker_parts.h"
#include "forest/live.h"
#include "trace/recorder.h"

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
	fg_parts(worker)->bound.returns =
		fg_load_acquire(&fg_all_workers.returns); /* before the set (share/own_set.h) */
	worker->pinned.tail = &worker->pinned.first;
	fg_spinlock_init(&worker->pinned.lock, FG_RANK_INBOX);
	home->worker = home->pinned = worker;
	fg_live_add(&worker->live);
	worker->all_next = fg_load_acquire(&fg_all_workers.first);
	while (!fg_cas_acq_rel(&fg_all_workers.first, (void **)&worker->all_next, worker))
		;
}

void
fg_worker_trace_switch(const struct fg_identity *self, const struct fg_identity *next)
{
	fg_worker_trace(FG_EVENT_suspend, self, 0, 0);
	fg_worker_trace(FG_EVENT_resume, next, 0, 0);
	if (fg_recording.trace)
		fg_recorders_switch(next);
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
