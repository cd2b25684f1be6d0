/* Idle workers: sleeping and waking (floor: exec; called by the wait loops of loop.c and by whoever makes work).
 *
 * Protocol (Dekker). Sleeper: asleep = 1; full fence; look at everything it waits for; sleep while asleep == 1.
 * Waker: make the thing true; full fence; look at asleep, if set clear it and wake.
 * The sleeper's fence is the heavy one (platform/membarrier.h): wakers are many, sleepers few.
 * In the order of the two fences either the sleeper's look sees the thing, or the waker's look sees asleep: no wake-up is lost.
 * fg_idle_sleepers counts the sleepers so that a waker's usual cost is one load of a line that nobody writes; it is raised before
 * the sleeper's fence and lowered after, so zero means that no sleeper can have passed its fence. */
#include <stddef.h>

#include "base/carrier.h"
#include "exec/nested/birth.h"
#include "exec/flat/help.h"
#include "exec/ground/options.h"
#include "exec/thread/kernel_thread.h"
#include "exec/watch/online.h"
#include "exec/thread/worker.h"
#include "platform/membarrier.h"
#include "sched/policy.h"

struct fg_atomic_u32 fg_idle_sleepers;

#define CHECK_TURNS 64	     /* some microseconds */
#define SHARED_SPIN_NS 10000 /* less than a sleep and a wake-up cost: those who share a PU wait so long, too */

bool
fg_patience_spin(struct fg_patience *patience, struct fg_worker *worker)
{
	fg_carrier->pause();
	if (patience->turns++ % CHECK_TURNS != CHECK_TURNS / 8)
		return true;
	fg_online_keep_place(worker);
	uint64_t now = fg_carrier->now();
	if (now < fg_load_relaxed(&fg_start_crowded))
		fg_carrier->yield();
	if (!patience->until)
		patience->until = now + fg_exec_options.spin_ns;
	if (fg_cpu_share_look(&worker->sharing, worker->tid, now) && patience->until > now + SHARED_SPIN_NS)
		patience->until = now + SHARED_SPIN_NS;
	return now < patience->until;
}

/* Anything on any runqueue, of this origin if that is not NULL: something to steal. */
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

static bool
work_anywhere(struct fg_worker *worker)
{
	struct fg_runqueue *top = fg_worker_leaf(worker);
	for (struct fg_runqueue *up; (up = fg_runqueue_parent(top));)
		top = up;
	return work_below(top, fg_load_relaxed(&fg_bubble_several) ? fg_worker_only(worker) : NULL);
}

bool
fg_idle_sleep(struct fg_worker *worker, bool (*ready)(struct fg_worker *worker))
{
	assert(fg_lock_order_none("sleeps with"));
	fg_online_keep_place(worker);
	fg_store_release(&worker->asleep, 1);
	fg_add_relaxed(&fg_idle_sleepers, 1);
	fg_fence_heavy();
	if (!(ready && ready(worker)) && !fg_worker_has_work(worker) &&
	    !(fg_policy_steals() && work_anywhere(worker)) && !fg_help_called_here(worker)) {
		worker->statistics.sleeps++;
		fg_trace(FG_EVENT_sleep, 0, 0, 0, 0);
		uint64_t begin = fg_carrier->now();
		fg_carrier->wait(&worker->asleep, 1, 0);
		fg_cpu_share_slept(&worker->sharing, fg_carrier->now() - begin);
		fg_trace(FG_EVENT_wake, 0, 0, 0, 0);
	}
	fg_sub_acq_rel(&fg_idle_sleepers, 1);
	/* Who has cleared it thinks that this worker is awake for what was put then, and that is seen from here on. */
	return fg_exchange_acquire(&worker->asleep, 0) == 0;
}

static bool
wake_if_asleep(struct fg_worker *worker)
{
	if (fg_load_relaxed(&worker->asleep) == 0 || fg_exchange_acq_rel(&worker->asleep, 0) == 0)
		return false;
	fg_carrier->wake(&worker->asleep, 1);
	return true;
}

bool
fg_idle_wake(struct fg_worker *worker)
{
	fg_fence_light();
	return wake_if_asleep(worker);
}

/* The queue is the worker's own, or above it: where it sits when it is awake. */
static bool
serves(struct fg_worker *worker, const struct fg_runqueue *queue)
{
	struct fg_runqueue *level = fg_load_relaxed(&worker->seat);
	while (level && level != queue)
		level = fg_runqueue_parent(level);
	return level;
}

/* The acquire goes with the release of who falls asleep: what it may take, and that there is a difference, was settled before. */
static bool
wake_one(const struct fg_runqueue *queue, const void *origin)
{
	for (struct fg_worker *worker = fg_load_acquire(&fg_all_workers); worker; worker = worker->all_next)
		if (fg_load_acquire(&worker->asleep) && fg_worker_may_take(worker, origin) &&
		    (!queue || serves(worker, queue)) && wake_if_asleep(worker))
			return true;
	return false;
}

/* Those who may not take everything and whose own work lies there: all of them, for one may be awake already, for other work than what
 * was put there now. */
static bool
wake_for_own(struct fg_runqueue *queue)
{
	bool woken = false;
	for (struct fg_worker *worker = fg_load_acquire(&fg_all_workers); worker; worker = worker->all_next)
		if (fg_load_relaxed(&worker->asleep) && (fg_policy_steals() || serves(worker, queue)) &&
		    fg_runqueue_has_of(queue, worker->home->root))
			woken |= wake_if_asleep(worker);
	return woken;
}

/* First those that need not steal: another may turn away from the work, to a wait of its own that has ended meanwhile, and
 * then nobody would look after the queue. Who may not take everything is woken only for what it may take, or its sleep would end for
 * nothing and that of another go on. */
bool
fg_idle_wake_any_slow(struct fg_runqueue *queue, const void *origin)
{
	return wake_one(queue, origin) || (fg_policy_steals() && wake_one(NULL, origin)) ||
	       (!origin && fg_load_relaxed(&fg_bubble_several) && wake_for_own(queue));
}

static bool
pass_on_below(struct fg_runqueue *level)
{
	if (fg_runqueue_has_work(level) && fg_idle_wake_any_slow(level, NULL))
		return true;
	const struct fg_runqueue_list *below = fg_runqueue_below(level);
	for (unsigned i = 0; below && i < below->n; i++)
		if (pass_on_below(below->queue[i]))
			return true;
	return false;
}

/* One for one: whoever serves a runqueue serves those above it too, and a thief all. */
void
fg_idle_pass_on(struct fg_worker *worker)
{
	if (fg_load_relaxed(&fg_idle_sleepers) == 0 || !fg_load_relaxed(&fg_births_any))
		return;
	fg_fence_light();
	struct fg_runqueue *queue = fg_worker_leaf(worker), *top = queue;
	for (; queue; top = queue, queue = fg_runqueue_parent(queue))
		if (fg_runqueue_has_work(queue) && fg_idle_wake_any_slow(queue, NULL))
			return;
	if (fg_policy_steals())
		pass_on_below(top);
}
