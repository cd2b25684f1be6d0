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
#include "exec/ground/hooks.h"
#include "exec/ground/options.h"
#include "exec/loop/cpu_share.h"
#include "exec/loop/idling.h"
#include "exec/loop/ride.h"
#include "exec/loop/work.h"
#include "exec/thread/binding.h"
#include "exec/thread/donor_pool.h"
#include "exec/thread/kernel_thread.h"
#include "platform/membarrier.h"
#include "sched/policy.h"

#define CHECK_TURNS 64	      /* some microseconds */
#define SUSPECT_NS 20000000   /* at least so long between two questions to the system */
#define GLANCE_TURNS 256      /* a wait that is over sooner asks for nothing */
#define GLANCE_NS 50000	      /* at least so long between two glances at the process's mask */
#define SHARED_SPIN_NS 10000  /* less than a sleep and a wake-up cost: even a worker that shares its PU spins so long */
#define WOKEN_SPIN_NS 100000  /* more than a wake-up takes */
#define PART_NS 250000	      /* at least so long between two moves away from another worker's PU */
#define SEATED_SPIN_NS 100000 /* with seats no two workers of the pool have one PU: the wait is for another PU */

/* The worker shares its PU, or it waits for long. Perhaps PUs were taken from the process. */
static void
suspect(struct fg_worker *worker, uint64_t now)
{
	if (now - worker->sharing.suspected < SUSPECT_NS)
		return;
	worker->sharing.suspected = now;
	fg_exec_hooks.suspect(worker);
}

/* True: the mask has changed. The workers that must board another kernel thread need a PU for that, so the caller
 * sleeps. A yield is not enough, because the kernel may give the PU back to it at once. */
static bool
glance(struct fg_worker *worker, uint64_t now)
{
	if (now - worker->sharing.glanced < GLANCE_NS)
		return false;
	worker->sharing.glanced = now;
	return fg_exec_hooks.glance(worker);
}

/* The worker shares its PU. A worker that has just woken another one waits longer for it. If both slept and woke each other
 * in turns, the kernel would take them for one half-idle thread each, and leave both on one PU. If the other one does not
 * come meanwhile, they may be there already, so this worker goes away. */
static void
shorten(struct fg_patience *patience, struct fg_worker *worker, uint64_t now)
{
	uint64_t spin = fg_seat_on ? SEATED_SPIN_NS : patience->has_woken ? WOKEN_SPIN_NS : SHARED_SPIN_NS;
	if (patience->until > now + spin)
		patience->until = now + spin;
	if (patience->has_woken && !fg_seat_on && now >= patience->until && now - worker->sharing.parted > PART_NS) {
		worker->sharing.parted = now;
		worker->sharing.strayed = true;
	}
	suspect(worker, now);
}

bool
fg_patience_spin(struct fg_patience *patience, struct fg_worker *worker)
{
	if (!patience->turns && __builtin_expect(worker->ride.next != NULL, 0))
		fg_worker_head(worker)->ride.waits++;
	fg_ride_pause(worker);
	if (patience->turns++ % CHECK_TURNS != CHECK_TURNS / 8)
		return true;
	fg_seat_look(worker);
	fg_binding_keep(worker);
	if (__builtin_expect(worker->ride.next != NULL, 0) && patience->waits != fg_worker_head(worker)->ride.waits) {
		patience->waits = fg_worker_head(worker)->ride.waits;
		patience->until = 0;
	}
	uint64_t now = fg_carrier->now();
	if (now < fg_load_relaxed(&fg_kernel_thread_crowded))
		fg_carrier->yield();
	if (!patience->until) {
		patience->until = now + fg_exec_options.spin_ns;
		patience->has_woken = fg_load_relaxed(&worker->sharing.has_woken);
		fg_store_relaxed(&worker->sharing.has_woken, 0);
		if (__builtin_expect(fg_policy_wants & FG_WANTS_IDLES, 0) && !patience->again)
			fg_idling_begin(worker, now);
	}
	if (__builtin_expect(fg_policy_wants & FG_WANTS_IDLES, 0))
		fg_idling_look(worker, now);
	uint64_t looked = worker->sharing.now;
	bool shared = fg_cpu_share_look(&worker->sharing, worker->tid, now);
	if (__builtin_expect(fg_seat_on, 0))
		fg_seat_share(worker, shared);
	if (shared)
		shorten(patience, worker, now);
	if (patience->turns > GLANCE_TURNS && glance(worker, now))
		patience->until = now;
	if (!worker->slot && looked != worker->sharing.now)
		fg_binding_tell(worker);
	if (__builtin_expect(worker->sharing.strayed, 0)) {
		worker->sharing.strayed = false;
		fg_binding_part(worker);
	}
	return now < patience->until;
}

bool
fg_idle_sleep(struct fg_worker *worker, bool (*ready)(struct fg_worker *worker))
{
	assert(fg_lock_order_none("sleeps with"));
	fg_seat_look(worker);
	fg_binding_keep(worker);
	glance(worker, fg_carrier->now());
	fg_donor_pool_rest(worker);
	uint64_t end = 0;
	fg_store_release(&worker->asleep, 1);
	fg_add_relaxed(&fg_idle.sleepers, 1);
	fg_fence_heavy();
	if (!(ready && ready(worker)) && !fg_worker_has_work(worker) && !fg_worker_may_steal(worker) &&
	    !fg_exec_hooks.called_here(worker) && !fg_ride_calls(worker) && !fg_seat_changes(worker)) {
		worker->statistics.sleeps++;
		fg_trace(FG_EVENT_sleep, 0, 0, 0, 0);
		uint64_t begin = fg_carrier->now();
		uint64_t limit = fg_policy_wants & FG_WANTS_IDLES ? fg_idling_left(worker, begin) : 0;
		if (worker->ride.next)
			fg_ride_sleep(worker, limit);
		else
			fg_carrier->wait(&worker->asleep, 1, limit);
		end = fg_carrier->now();
		fg_cpu_share_slept(&worker->sharing, end - begin);
		fg_trace(FG_EVENT_wake, 0, 0, 0, 0);
	}
	fg_sub_acq_rel(&fg_idle.sleepers, 1);
	/* A waker that has cleared the word relies on this worker for the things that it put before. From here on the
	 * worker sees them. */
	bool woken = fg_exchange_acquire(&worker->asleep, 0) == 0;
	if (end)
		suspect(worker, end);
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
	if (fg_load_relaxed(&fg_idle.sleepers) == 0 || !fg_load_relaxed(&fg_donors_wanted))
		return;
	fg_fence_light();
	struct fg_runqueue *queue = fg_worker_leaf(worker), *top = queue;
	for (; queue; top = queue, queue = fg_runqueue_parent(queue))
		if (fg_runqueue_has_work(queue) && fg_wake_any_slow(queue, NULL))
			return;
	if (fg_policy_steals())
		pass_on_below(top);
}
