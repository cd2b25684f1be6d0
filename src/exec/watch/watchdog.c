/* Watchdog (floor: exec): see watchdog.h.
 *
 * No worker finds an entity that lies on a runqueue that a policy put aside. If no policy steals, no worker finds an
 * entity where no worker serves either: there may be fewer workers than PUs. The watchdog acts if the same entity is
 * the oldest in such a place for too long. Then all entities there go to the machine's runqueue, and the policy that
 * has left them there is replaced.
 *
 * If threads of the program have regions at the same time, it is not enough that some worker serves a place. The
 * worker must be one that may take the entity (root.h). Thieves may take it, but all of these may be computing. Where
 * teams have homes, thieves keep to these (sched/rob.h), and no worker may be left there: the PUs that the process may
 * use change. In these cases no policy is to blame. */
#include "exec/watch/watchdog.h"

#include "base/log.h"
#include "exec/move/stop.h"
#include "exec/thread/facts.h"
#include "exec/thread/levels.h"
#include "exec/thread/wake.h"
#include "forest/move.h"
#include "sched/decision.h"
#include "sched/policy.h"
#include "sched/slices.h"

#define ASIDE_NS UINT64_C(2000000000)
#define UNSERVED_NS UINT64_C(100000000)

/* The oldest entity on this runqueue that no worker serves there. */
static struct fg_entity *
oldest_locked(struct fg_runqueue *queue)
{
	struct fg_entity *ready = &queue->holder.ready, *unborn = &queue->holder.unborn;
	assert(fg_runqueue_valid_locked(queue));
	for (struct fg_entity *entity = ready->next; entity != ready; entity = entity->next)
		if (!fg_worker_serves(queue, entity))
			return entity;
	for (struct fg_entity *entity = unborn->prev; entity != unborn; entity = entity->prev)
		if (!fg_worker_serves(queue, entity))
			return entity;
	return NULL;
}

/* True: the oldest entity has been the same for more than `limit`. *some becomes true if there is such an entity. Only
 * the watchdog writes `stuck`. It compares the pointer and never follows it, because the entity may be gone. An empty
 * runqueue forgets it: the same entity may come there again later. */
static bool
is_stuck(struct fg_runqueue *queue, uint64_t watched, uint64_t limit, bool *some)
{
	const struct fg_entity *entity = NULL;
	if (fg_runqueue_has_work(queue)) {
		fg_spinlock_lock(&queue->lock);
		entity = oldest_locked(queue);
		fg_spinlock_unlock(&queue->lock);
	}
	*some |= entity != NULL;
	if (!entity || entity != queue->stuck) {
		queue->stuck = entity;
		queue->stuck_since = watched;
		return false;
	}
	return watched - queue->stuck_since > limit;
}

static unsigned
bring_back(struct fg_runqueue *queue)
{
	unsigned n = 0;
	for (;; n++) {
		fg_spinlock_lock(&queue->lock);
		struct fg_entity *entity = oldest_locked(queue);
		const void *origin = entity ? fg_entity_origin(entity) : NULL;
		if (entity)
			fg_entity_take_locked(entity);
		fg_spinlock_unlock(&queue->lock);
		if (!entity)
			return n;
		fg_decision_begin(fg_policy_of(queue)->sched, FG_DECIDER_runtime);
		fg_reason("no PU looked where it lay");
		fg_decision_placed(entity, fg_place_of(queue), fg_place_of(fg_levels_top()));
		fg_runqueue_push(fg_levels_top(), entity);
		fg_wake_any(fg_levels_top(), origin);
	}
}

static void
rescue(struct fg_runqueue *queue, uint64_t limit, bool blame)
{
	struct fg_policy *policy = fg_policy_of(queue);
	unsigned n = bring_back(queue);
	queue->stuck = NULL;
	if (n == 0 || !blame || fg_exchange_acq_rel(&policy->failed, 1))
		return;
	fg_error("bubble scheduler %s has left %u entities for %g s on a runqueue where no PU looks for them; they are "
		 "run now, and the scheduler default does its work from now on",
		 policy->sched->name, n, (double)limit * 1e-9);
}

static bool
look_aside(uint64_t watched)
{
	bool some = false;
	for (struct fg_runqueue *queue = fg_policy_aside_first(); queue; queue = queue->aside_next) {
		if (is_stuck(queue, watched, ASIDE_NS, &some))
			rescue(queue, ASIDE_NS, true);
	}
	return some;
}

static bool
look_below(struct fg_runqueue *queue, uint64_t watched)
{
	bool some = false;
	/* The machine's own runqueue is the one to which entities are brought back. */
	if (queue != fg_levels_top() && is_stuck(queue, watched, UNSERVED_NS, &some))
		rescue(queue, UNSERVED_NS, !fg_policy_steals() && !fg_load_relaxed(&fg_bubble_origins.several));
	const struct fg_runqueue_list *below = fg_runqueue_below(queue);
	for (unsigned i = 0; below && i < below->n; i++)
		some |= look_below(below->queue[i], watched);
	return some;
}

bool
fg_watchdog_look(uint64_t now, uint64_t watched)
{
	assert(fg_lock_order_none("looks at all runqueues with"));
	bool some = fg_policy_aside_first() && look_aside(watched);
	bool all_served = fg_policy_steals() && !fg_load_relaxed(&fg_bubble_origins.several) &&
			  !(fg_policies_want_now() & FG_WANTS_HOMES);
	if (!all_served && fg_levels_top())
		some |= look_below(fg_levels_top(), watched);
	unsigned stopped = fg_stop_look(watched, ASIDE_NS, &some);
	fg_stop_ready();
	if (stopped && fg_exchange_acq_rel(&fg_policy.failed, 1) == 0)
		fg_error("bubble scheduler %s has kept %u threads stopped for %g s; they go on now, and the scheduler "
			 "default does its work from now on",
			 fg_policy.sched->name, stopped, (double)ASIDE_NS * 1e-9);
	if (!fg_levels_top())
		return some;
	some |= fg_slices_look(fg_levels_top());
	fg_policy_redistribute_periods(now, fg_levels_top());
	return some;
}
