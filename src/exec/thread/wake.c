/* Wake (floor: exec): see wake.h. idle.c has the sleeper's half of the protocol, and the proof. */
#include "exec/thread/wake.h"

#include "base/carrier.h"
#include "exec/thread/doorbell.h"
#include "exec/thread/worker.h"
#include "exec/thread/worker_parts.h"
#include "sched/policy.h"

struct fg_idle fg_idle;
struct fg_atomic_u32 fg_wanted;

/* Workers of one kernel thread sleep on the bell of their ride (grant/ride.c). The worker that is woken may be another
 * than the one that is aboard and computes. Then the monitor makes that one give way. */
static void
ride_bell(struct fg_worker *head)
{
	fg_add_release(&fg_parts(head)->ride.bell, 1);
	fg_carrier->wake(&fg_parts(head)->ride.bell, 1);
	fg_monitor_poke();
}

static bool
wake_if_asleep(struct fg_worker *worker)
{
	if (fg_load_relaxed(&worker->asleep) == 0 || fg_exchange_acq_rel(&worker->asleep, 0) == 0)
		return false;
	struct fg_worker *head = fg_load_relaxed(&worker->head);
	const struct fg_identity *self = fg_self();
	if (self)
		fg_store_relaxed(&fg_parts(self->worker)->has_woken, 1);
	if (__builtin_expect(head != NULL, 0))
		ride_bell(head);
	else
		fg_carrier->wake(&worker->asleep, 1);
	return true;
}

bool
fg_wake_worker(struct fg_worker *worker)
{
	fg_fence_light();
	return wake_if_asleep(worker);
}

/* True: the queue is the worker's own, or above it. It counts where the worker sits when it is awake. */
static bool
serves(struct fg_worker *worker, const struct fg_runqueue *queue)
{
	struct fg_runqueue *level = fg_load_relaxed(&worker->seat);
	while (level && level != queue)
		level = fg_runqueue_parent(level);
	return level;
}

/* The acquire pairs with the release of the worker that falls asleep. Before that release two things were clear:
 * the entities that the worker may take, and that not all workers may take the same. */
static bool
wake_one(const struct fg_runqueue *queue, const void *origin)
{
	FG_EACH_WORKER (worker)
		if (fg_load_acquire(&worker->asleep) && fg_worker_may_take(worker, origin) &&
		    (!queue || serves(worker, queue)) && wake_if_asleep(worker))
			return true;
	return false;
}

/* Wakes the workers that may not take everything and whose own work lies in this queue. It wakes all of them,
 * because one may be awake already for other work than the entity that was put there now. */
static bool
wake_for_own(struct fg_runqueue *queue)
{
	bool woken = false;
	FG_EACH_WORKER (worker)
		if (fg_load_relaxed(&worker->asleep) && (fg_policy_steals() || serves(worker, queue)) &&
		    fg_runqueue_has_of(queue, worker->home->root))
			woken |= wake_if_asleep(worker);
	return woken;
}

/* The first candidates are the workers that need not steal. A thief may turn away from the work to a wait of its own
 * that has ended meanwhile. Then no worker would look after the queue. A worker that may not take everything is
 * woken only for work that it may take. Otherwise its sleep would end in vain, and that of another would go on. */
bool
fg_wake_any_slow(struct fg_runqueue *queue, const void *origin)
{
	return wake_one(queue, origin) || (fg_policy_steals() && wake_one(NULL, origin)) ||
	       (!origin && fg_load_relaxed(&fg_bubble_origins.several) && wake_for_own(queue));
}
