/* Watchdog (floor: exec): see watchdog.h.
 *
 * Nobody finds what lies on a runqueue that was put aside, nor, if no policy steals, what lies where no worker serves: there may be fewer
 * workers than PUs. Whatever lies in such a place for too long, the same entity being the oldest, goes to the machine's runqueue, and
 * the policy that has left it there is replaced. */
#include "exec/watchdog.h"

#include "base/log.h"
#include "exec/machine.h"
#include "exec/worker.h"
#include "forest/move.h"
#include "sched/policy.h"

#define ASIDE_NS UINT64_C(2000000000)
#define UNSERVED_NS UINT64_C(100000000)

static bool
is_served(const struct fg_runqueue *queue)
{
	for (struct fg_worker *worker = fg_load_acquire(&fg_workers); worker; worker = worker->all_next) {
		const struct fg_runqueue *seat = fg_load_relaxed(&worker->seat);
		if (worker->carries && seat->first_pu - queue->first_pu < queue->n_pus)
			return true;
	}
	return false;
}

static struct fg_entity *
oldest(struct fg_runqueue *queue)
{
	struct fg_holder *holder = &queue->holder;
	if (!fg_entity_list_empty(&holder->ready))
		return holder->ready.next;
	return fg_entity_list_empty(&holder->unborn) ? NULL : holder->unborn.prev;
}

static bool
is_stuck(struct fg_runqueue *queue, uint64_t now, uint64_t limit)
{
	fg_spinlock_lock(&queue->lock);
	const struct fg_entity *entity = oldest(queue);
	fg_spinlock_unlock(&queue->lock);
	if (!entity || entity != queue->stuck) {
		queue->stuck = entity;
		queue->stuck_since = now;
		return false;
	}
	return now - queue->stuck_since > limit;
}

static unsigned
bring_back(struct fg_runqueue *queue)
{
	unsigned n = 0;
	for (;; n++) {
		fg_spinlock_lock(&queue->lock);
		struct fg_entity *entity = oldest(queue);
		if (entity)
			fg_entity_take_locked(entity);
		fg_spinlock_unlock(&queue->lock);
		if (!entity)
			return n;
		fg_runqueue_push(fg_machine_top(), entity);
		fg_idle_wake_any(fg_machine_top());
	}
}

static void
rescue(struct fg_runqueue *queue, uint64_t limit)
{
	struct fg_policy *policy = fg_policy_of(queue);
	unsigned n = bring_back(queue);
	queue->stuck = NULL;
	if (n == 0 || fg_exchange_acq_rel(&policy->failed, 1))
		return;
	fg_error("bubble scheduler %s has left %u entities for %g s on a runqueue where no PU looks for them; they are run now, and the "
		 "scheduler default does its work from now on",
		 policy->sched->name, n, (double)limit * 1e-9);
}

static bool
look_aside(uint64_t now)
{
	bool some = false;
	for (struct fg_runqueue *queue = fg_policy_aside_first(); queue; queue = queue->aside_next) {
		if (!fg_runqueue_has_work(queue))
			continue;
		some = true;
		if (is_stuck(queue, now, ASIDE_NS))
			rescue(queue, ASIDE_NS);
	}
	return some;
}

static bool
look_below(struct fg_runqueue *queue, uint64_t now)
{
	/* The machine's own is where things are brought back to. */
	bool some = queue != fg_machine_top() && fg_runqueue_has_work(queue) && !is_served(queue);
	if (some && is_stuck(queue, now, UNSERVED_NS))
		rescue(queue, UNSERVED_NS);
	const struct fg_runqueue_list *below = fg_runqueue_below(queue);
	for (unsigned i = 0; below && i < below->n; i++)
		some |= look_below(below->queue[i], now);
	return some;
}

bool
fg_watchdog_look(uint64_t now)
{
	bool some = fg_policy_aside_first() && look_aside(now);
	if (!fg_policy_steals() && fg_machine_top())
		some |= look_below(fg_machine_top(), now);
	fg_policy_daemons(now, fg_machine_top());
	return some;
}
