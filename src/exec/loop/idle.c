/* Idle workers: how they sleep and are woken (floor: exec; wake.c has the wakers' side).
 *
 * Protocol (Dekker).
 *
 *     sleeper: asleep = 1; full fence; look at everything that it waits for; sleep while asleep == 1
 *     waker:   make the thing true; full fence; look at asleep; if it is set, clear it and wake the sleeper
 *
 * The sleeper's fence is the heavy one (platform/membarrier.h), because wakers are many and sleepers few. The two
 * fences have an order. So either the sleeper's look sees the thing, or the waker's look sees asleep == 1: no
 * wake-up is lost.
 *
 * fg_idle.sleepers counts the sleepers. So a waker usually loads one line, which seldom changes. The count is raised
 * before the sleeper's fence, and lowered after it. So if fg_idle.sleepers == 0, no sleeper can have passed its
 * fence. */
#include "exec/loop/idle.h"

#include "base/carrier.h"
#include "exec/body/look.h"
#include "exec/grant/ride.h"
#include "exec/ground/hooks.h"
#include "exec/loop/chores.h"
#include "exec/loop/work.h"
#include "exec/thread/worker_parts.h"
#include "platform/membarrier.h"
#include "sched/policy.h"

#define CHECK_TURNS 64 /* some microseconds */

bool
fg_patience_has_chores(unsigned turn)
{
	return turn % CHECK_TURNS == CHECK_TURNS / 8;
}

bool
fg_patience_spin(struct fg_patience *patience, struct fg_worker *worker)
{
	assert(fg_worker_is_own(worker));
	fg_ride_pause(worker, !patience->turns);
	if (!fg_patience_has_chores(patience->turns++))
		return true;
	uint64_t now = fg_carrier->now();
	fg_chores_spin(worker, patience, now);
	return now < patience->until;
}

bool
fg_idle_sleep(struct fg_worker *worker, bool (*ready)(struct fg_worker *worker))
{
	assert(fg_lock_order_none("sleeps with") && fg_worker_is_own(worker) && !fg_load_stable(&worker->asleep));
	fg_chores_sleep(worker);
	uint64_t begin = 0, end = 0;
	fg_store_release(&worker->asleep, 1);
	fg_add_relaxed(&fg_idle.sleepers, 1);
	fg_fence_heavy();
	if (!(ready && ready(worker)) && !fg_worker_has_work(worker) && !fg_worker_may_steal(worker) &&
	    !fg_exec_hooks.called_here(worker) && !fg_ride_calls(worker) && !fg_seat_changes(worker)) {
		fg_parts(worker)->statistics.sleeps++;
		fg_trace(FG_EVENT_sleep, 0, 0, 0, 0);
		begin = fg_carrier->now();
		uint64_t limit = fg_chores_left(worker, begin);
		if (fg_worker_rides(worker))
			fg_ride_sleep(worker, limit);
		else
			fg_carrier->wait(&worker->asleep, 1, limit);
		end = fg_carrier->now();
		fg_trace(FG_EVENT_wake, 0, 0, 0, 0);
	}
	assert(fg_load_stable(&fg_idle.sleepers) > 0);
	fg_sub_acq_rel(&fg_idle.sleepers, 1);
	/* A waker that has cleared the word relies on this worker for the things that it put before. From here on the
	 * worker sees them. */
	bool woken = fg_exchange_acquire(&worker->asleep, 0) == 0;
	if (end)
		fg_chores_woke(worker, begin, end);
	return woken;
}

static bool
pass_on_below(struct fg_runqueue *level)
{
	if (fg_runqueue_has_work(level) && fg_wake_any_slow(level, NULL))
		return true;
	const struct fg_runqueue_list *below = fg_runqueue_below(level);
	for (unsigned i = 0; below && i < below->n; i++)
		if (pass_on_below(below->queue[i]))
			return true;
	return false;
}

/* One wake-up is passed on to one worker. That is enough: a worker that serves a runqueue serves those above it too,
 * and a thief serves all. */
void
fg_idle_pass_on(struct fg_worker *worker)
{
	if (fg_load_relaxed(&fg_idle.sleepers) == 0 || !(fg_load_relaxed(&fg_wanted) & FG_WANTED_DONORS))
		return;
	fg_fence_light();
	struct fg_runqueue *queue = fg_worker_leaf(worker), *top = queue;
	for (; queue; top = queue, queue = fg_runqueue_parent(queue))
		if (fg_runqueue_has_work(queue) && fg_wake_any_slow(queue, NULL))
			return;
	if (fg_policy_steals())
		pass_on_below(top);
}
