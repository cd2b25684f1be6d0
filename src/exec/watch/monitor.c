/* Monitor (floor: exec): see monitor.h. */
#define _GNU_SOURCE
#include "exec/watch/monitor.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "base/carrier.h"
#include "base/spinlock.h"
#include "exec/body/kernel_thread.h"
#include "exec/body/look.h"
#include "exec/grant/grant.h"
#include "exec/grant/online.h"
#include "exec/grant/ride.h"
#include "exec/ground/options.h"
#include "exec/helpers/helpers.h"
#include "exec/loop/crew.h"
#include "exec/loop/work.h"
#include "exec/relief/spare.h"
#include "exec/thread/doorbell.h"
#include "exec/thread/levels.h"
#include "exec/thread/wake.h"
#include "exec/thread/worker_parts.h"
#include "exec/watch/kernel_state.h"
#include "exec/watch/preempt_signal.h"
#include "exec/watch/pu_counters.h"
#include "exec/watch/solitude.h"
#include "exec/watch/spawner.h"
#include "exec/watch/watchdog.h"
#include "platform/kernel_mask.h"
#include "platform/membarrier.h"
#include "platform/process.h"
#include "platform/thread.h"
#include "sched/policy.h"
#include "share/share.h"

#define PERIOD_NS 2000000
/* After so many looks at which the worker goes on by itself and no tick was of use, its ticks end. */
#define LINGER_PERIODS 20
#define CALM_LOOKS 8	 /* so many looks at which no worker stalled: the monitor looks half as often */
#define NAP_MOST 4	 /* periods between two looks */
#define NET_NS 100000000 /* after this time without success by other means, a spare takes over */
/* The slice where FGOMP_SLICE=0 turns preemption off. Threads give way where they switch. */
#define SWITCH_ONLY_NS 4000000
#define TICKS_LATE 4 /* a thread that does not give way gets so many ticks in a slice */
#define DOCKED_LOOKS 50
#define WATCHED_NS 10000000 /* between two looks the watchdog's time rises by so much at most */
#define QUIET_PERIODS 25    /* so many looks at which nothing waits: the monitor goes to sleep */

static struct {
	struct fg_atomic_u32 started;
	struct fg_atomic_u32 to_end;  /* 1: the monitor must end */
	unsigned calm;		      /* looks since a worker last stalled; the monitor's */
	uint64_t looked, watched;     /* the last look, and the watchdog's time */
	struct fg_atomic_u64 ends_at; /* 0: nothing is wrong */
} monitor;

FG_READS_HINTS static bool
has_work(struct fg_worker *worker)
{
	return fg_load_relaxed(&fg_parts(worker)->relief.claimed) || fg_worker_has_work(worker) ||
	       fg_helpers_may_call(worker);
}

/* A policy has sent the thread that runs there to another PU. Ticks will make it leave. */
FG_READS_HINTS static bool
was_sent(struct fg_worker *worker)
{
	const struct fg_identity *current = fg_load_acquire(&worker->current);
	/* A send that came just after the end of its member concerns nobody. */
	return current && fg_load_relaxed(&current->entity.sent) != NULL && fg_load_relaxed(&current->live.in) != NULL;
}

/* A sleeper moves once it is woken. */
FG_READS_HINTS static bool
must_move(struct fg_worker *worker)
{
	return fg_seat_changes(worker) && !fg_load_relaxed(&worker->asleep);
}

FG_READS_HINTS bool
fg_monitor_waits(struct fg_worker *worker)
{
	return worker->carries && (worker->wait.docked || must_move(worker) || has_work(worker) || was_sent(worker) ||
				   fg_ride_waits_hint(worker));
}

/* The worker belongs to a root in a region with more members than workers. Any barrier makes some of them wait, and
 * does not tell the monitor. */
FG_READS_HINTS static bool
may_wait(struct fg_worker *worker)
{
	return worker->home->root && worker->carries && worker->crew.oversubscribed;
}

bool
fg_monitor_stays(struct fg_worker *worker, bool waits)
{
	uint32_t progress = fg_load_relaxed(&worker->progress);
	if (waits && progress == fg_parts(worker)->watch.progress_seen)
		return true;
	fg_parts(worker)->watch.progress_seen = progress;
	return false;
}

/* The worker has made no switch for at least this time. */
static bool
has_stalled(const struct fg_worker *worker, uint64_t ns)
{
	return fg_parts(worker)->watch.stalls * PERIOD_NS >= ns;
}

/* A thread may compute so long before the monitor tries the net, because preemption comes first. */
static uint64_t
net_ns(bool reached)
{
	uint64_t slice = fg_exec_options.slice_ns;
	if (!reached && slice)
		return slice;
	return 2 * slice > NET_NS ? 2 * slice : NET_NS;
}

/* It is asked at most once in a look at the worker. */
static enum fg_kernel_state
state_of(struct fg_worker *worker)
{
	struct fg_watched *watch = &fg_parts(worker)->watch;
	if (!watch->asked)
		watch->state = (uint8_t)fg_kernel_state_of(worker, watch->stalls > 1);
	watch->asked = true;
	return watch->state;
}

/* The net: a spare takes the worker, and the thread keeps its kernel thread, whatever it does there. Where the
 * system gives no spare, only a signal is left. It may end a system call of the program early. */
static void
relieve(struct fg_worker *worker, bool computes, bool reached)
{
	if (fg_spare_take_over(worker, computes))
		fg_parts(worker)->watch.waited = 0; /* the spare looks for the next thread, so a slice begins */
	else if (!computes && ++fg_parts(worker)->watch.refused * PERIOD_NS >= 2 * NET_NS && reached)
		fg_preempt_kick(worker);
}

static void
computes(struct fg_worker *worker, struct fg_identity *current, bool reached)
{
	reached = reached && fg_preempt_timer(worker, true);
	if (reached && has_stalled(worker, fg_exec_options.slice_ns))
		fg_preempt_hasten(worker, fg_exec_options.slice_ns);
	if ((fg_policies.wants & FG_WANTS_SLICE) && !current->crew_of) /* no slices of flat teams */
		fg_policy_slice(current->entity.bubble, fg_worker_leaf(worker));
	/* A docked thread may only wait for this one. The monitor rarely asks for that, because each question costs
	 * every PU time. */
	if (has_stalled(worker, net_ns(reached)) &&
	    (has_work(worker) || fg_parts(worker)->watch.stalls % DOCKED_LOOKS == 0))
		relieve(worker, true, reached);
}

/* A longer nap saves the program switches. It is no longer than a slice. Where several programs share a PU, each has a
 * part of the time, and looks that much more seldom: eight of them on two PUs spent a seventh of the time on looks. The
 * stamp on the board must stay young meanwhile (share/entry.h). */
static unsigned
nap_periods(void)
{
	unsigned crowd = fg_load_relaxed(&fg_sharing.crowd), nap = monitor.calm >= CALM_LOOKS ? 2 : 1;
	if (crowd > nap)
		nap = crowd < NAP_MOST ? crowd : NAP_MOST;
	return nap;
}

/* Threads and members of the crew that are ready here. */
FG_READS_HINTS static unsigned
n_waiting(struct fg_worker *worker)
{
	return fg_load_relaxed(&worker->pinned.count) + fg_load_relaxed(&worker->crew.waiting) +
	       fg_worker_n_ready(worker);
}

/* Looks at which something waits, until the slice of the thread that runs is over. Where several wait, each must have
 * its turn soon, so slices are shorter. */
FG_READS_HINTS static unsigned
looks_in_slice(struct fg_worker *worker)
{
	uint64_t slice = fg_exec_options.slice_ns ? fg_exec_options.slice_ns : SWITCH_ONLY_NS;
	unsigned waiting = n_waiting(worker);
	assert(slice > 0);
	return (unsigned)((slice / (waiting ? waiting : 1) + PERIOD_NS - 1) / PERIOD_NS);
}

/* The thread that runs may switch as often as it likes meanwhile: to members of the regions that it meets, and back. So
 * progress says nothing about the slice. If the thread has not given way by the next look, it meets no switch point,
 * and a tick must come. */
FG_READS_HINTS static void
look_at_slice(struct fg_worker *worker, bool waits)
{
	if (!waits) {
		fg_parts(worker)->watch.waited = 0;
	} else if (fg_load_relaxed(&worker->notice) & FG_NOTICE_SLICE) {
		const struct fg_identity *current = fg_load_relaxed(&worker->current);
		if (fg_preempt_reaches(worker, current) && state_of(worker) == FG_KERNEL_RUNNING &&
		    fg_preempt_timer(worker, true))
			fg_preempt_hasten(worker, fg_exec_options.slice_ns / TICKS_LATE);
	} else if ((fg_parts(worker)->watch.waited += nap_periods()) >= looks_in_slice(worker)) {
		fg_parts(worker)->watch.waited = 0;
		fg_or_acq_rel(&worker->notice, FG_NOTICE_SLICE);
		fg_preempt_hasten(worker, fg_exec_options.slice_ns / TICKS_LATE);
	}
}

/* Something waits, and the worker has not switched since the last look. The monitor leaves a thread inside the runtime
 * alone. There a thread waits only for other threads of the runtime (design.md, "Every wait has an end"). */
FG_READS_HINTS static void
look_at_standing(struct fg_worker *worker)
{
	assert((int)fg_load_stable(&fg_doorbell.monitor_tid) == fg_thread_id());
	fg_parts(worker)->watch.stalls++;
	struct fg_identity *current = fg_load_relaxed(&worker->current);
	if (fg_own_load_relaxed(&current->in_runtime))
		return;
	bool reached = fg_preempt_reaches(worker, current);
	enum fg_kernel_state state = state_of(worker);
	if (state !=
	    FG_KERNEL_BLOCKED) /* a spare may be lacking for a moment, when the thread has stalled for long already */
		fg_parts(worker)->watch.refused = 0;
	if (state == FG_KERNEL_RUNNING)
		computes(worker, current, reached);
	else if (state == FG_KERNEL_IN_FUTEX && reached && !has_stalled(worker, NET_NS))
		fg_preempt_kick(worker); /* the wait goes on when the thread is next switched to */
	else
		relieve(worker, false, reached);
}

/* Nothing but members of the crew waits there, and the crew has completed a phase since the last look. So each of them
 * has had its turn, and no slice is over. */
FG_READS_HINTS static bool
crew_takes_turns(struct fg_worker *worker)
{
	uint64_t phase = worker->crew.phase;
	bool passed = phase != fg_parts(worker)->watch.phase_seen;
	fg_parts(worker)->watch.phase_seen = phase;
	if (!passed || fg_load_relaxed(&worker->pinned.count) != 0 ||
	    fg_load_relaxed(&fg_parts(worker)->relief.claimed) || worker->wait.docked)
		return false;
	for (struct fg_runqueue *queue = fg_worker_leaf(worker); queue; queue = fg_runqueue_parent(queue))
		if (fg_runqueue_has_work(queue))
			return false;
	return true;
}

/* True: something waits for this worker's PU. */
FG_READS_HINTS static bool
look_at(struct fg_worker *worker)
{
	bool waits = fg_monitor_waits(worker);
	fg_parts(worker)->watch.asked = false;
	if (fg_worker_head(worker) != worker)
		fg_preempt_timer(worker, false); /* it had its own kernel thread */
	uint32_t seen = fg_parts(worker)->watch.progress_seen;
	if (fg_monitor_stays(worker, waits)) {
		monitor.calm = 0;
		look_at_standing(worker);
	} else {
		bool used =
			worker->timer_on && fg_parts(worker)->preempt.tick.uses != fg_parts(worker)->watch.uses_seen;
		fg_parts(worker)->watch.uses_seen = fg_parts(worker)->preempt.tick.uses;
		fg_parts(worker)->watch.unused = used ? 0 : fg_parts(worker)->watch.unused + 1;
		if (fg_parts(worker)->watch.unused >
		    (waits || fg_parts(worker)->preempt.timer_ticks ? LINGER_PERIODS : 0))
			fg_preempt_timer(worker, false);
		/* A policy may send the one thing that waits to and fro. So the count stays while the worker stalls. */
		if (fg_parts(worker)->watch.progress_seen != seen)
			fg_parts(worker)->watch.stalls = fg_parts(worker)->watch.refused = 0;
	}
	look_at_slice(worker, !crew_takes_turns(worker) && waits);
	return waits;
}

/* A worker that sleeps does not ask for those members of a flat team that have become ready since. So the monitor
 * wakes it. */
FG_READS_HINTS static void
wake_borrowers(void)
{
	if (fg_load_relaxed(&fg_idle.sleepers) == 0 || !fg_policy_steals())
		return;
	FG_EACH_WORKER (worker)
		if (worker->carries && fg_parts(worker)->lend.lends && fg_crew_may_lend(worker))
			fg_wake_any(fg_levels_top(), worker->crew.root);
}

/* Waits until it is time for the next look. False: the monitor must end. After a sleep the first look comes early,
 * because something has waited since before the monitor was awake. */
static bool
next_period(bool *slept)
{
	while (!fg_load_acquire(&fg_doorbell.monitor_awake) && !fg_load_acquire(&monitor.to_end)) {
		fg_carrier->wait(&fg_doorbell.monitor_awake, 0, fg_solitude_nap());
		fg_solitude_look();
		*slept = true;
	}
	uint64_t now = fg_carrier->now(), end = now + (*slept ? PERIOD_NS / 4 : nap_periods() * PERIOD_NS);
	*slept = false;
	for (; now < end && !fg_load_acquire(&monitor.to_end); now = fg_carrier->now())
		fg_carrier->wait(&monitor.to_end, 0, end - now);
	return !fg_load_acquire(&monitor.to_end);
}

/* The end of the process may wait for a lock that a suspended member holds. That member goes on, because from now on
 * the caller can be preempted and relieved. If the caller itself holds a lock of the runtime, the process ends all
 * the same after ENDING_NS. */
#define ENDING_NS 5000000000

void
fg_monitor_process_ends(void)
{
	struct fg_identity *self = fg_self();
	fg_store_relaxed(&monitor.ends_at, fg_carrier->now() + ENDING_NS);
	fg_monitor_poke();
	if (self)
		fg_own_store_release(&self->in_runtime, 0);
}

/* True: the process is about to end. */
static bool
look_at_end(uint64_t now)
{
	uint64_t at = fg_load_relaxed(&monitor.ends_at);
	if (at && now > at)
		fg_process_end(EXIT_FAILURE);
	return at;
}

/* True if no worker has its timer on. pthread_create may need a lock that a preempted thread holds. */
FG_READS_HINTS static bool
nobody_is_preempted(void)
{
	FG_EACH_WORKER (worker)
		if (worker->timer_on)
			return false;
	return true;
}

/* A time that rises by looks. While the whole process is stopped, by SIGSTOP or a debugger, no policy can act. */
static uint64_t
watched(uint64_t now)
{
	uint64_t passed = now - monitor.looked;
	monitor.looked = now;
	return monitor.watched += passed < WATCHED_NS ? passed : WATCHED_NS;
}

/* The monitor's work begins after a moment, because the first half of a millisecond belongs to the program's
 * regions. */
static void
monitor_main(void *arg)
{
	(void)arg;
	bool spawner = false, slept = true;
	unsigned quiet = 0;
	fg_online_begin();
	fg_store_release(&fg_doorbell.monitor_tid, (uint32_t)fg_thread_id());
	while (next_period(&slept)) {
		if (!spawner && nobody_is_preempted())
			spawner = fg_spawner_start() == 0;
		fg_spawner_look();
		fg_online_look(fg_carrier->now());
		fg_solitude_look();
		bool waits = look_at_end(fg_carrier->now());
		monitor.calm += monitor.calm < CALM_LOOKS;
		fg_identities_read();
		FG_EACH_WORKER (worker)
			waits |= look_at(worker) || may_wait(worker);
		fg_identities_read_end();
		wake_borrowers();
		waits |= fg_grant_look(fg_carrier->now());
		uint64_t now = fg_carrier->now();
		waits |= fg_watchdog_look(now, watched(now));
		bool counts = fg_pu_counters_look(fg_carrier->now()) || fg_share_goes_on();
		if (waits)
			fg_preempt_install(); /* the program may have installed a handler of its own instead */
		quiet = waits || counts ? 0 : quiet + 1;
		if (quiet < QUIET_PERIODS)
			continue;
		quiet = 0;
		fg_store_relaxed(&fg_doorbell.monitor_awake, 0);
		fg_fence_heavy();
		fg_identities_read();
		FG_EACH_WORKER (worker)
			waits |= fg_monitor_waits(worker) || may_wait(worker);
		fg_identities_read_end();
		if (waits)
			fg_store_relaxed(&fg_doorbell.monitor_awake, 1);
	}
	assert(fg_load_stable(&monitor.to_end) == 1 && fg_lock_order_none("ends with"));
	fg_store_release(&monitor.to_end, 0);
	fg_carrier->wake(&monitor.to_end, 1);
}

/* A caller that finds the monitor awake does not wake it. So monitor_awake stays 1 until fg_monitor_allow. */
void
fg_monitor_end(void)
{
	assert(fg_load_stable(&monitor.to_end) == 0 && fg_lock_order_none("ends the monitor with"));
	bool runs = fg_load_acquire(&monitor.started);
	fg_store_release(&monitor.to_end, runs);
	fg_fence_seq_cst(); /* the monitor stores 0 there, makes a fence, and reads to_end */
	fg_store_release(&fg_doorbell.monitor_awake, 1);
	if (!runs)
		return;
	fg_carrier->wake(&fg_doorbell.monitor_awake, 1);
	fg_carrier->wake(&monitor.to_end, 1);
	while (fg_load_acquire(&monitor.to_end) && fg_load_acquire(&monitor.started))
		fg_carrier->wait(&monitor.to_end, 1, 0);
	if (!fg_load_acquire(&monitor.started)) { /* a thread was just starting it, and the system gave none */
		fg_store_relaxed(&monitor.to_end, 0);
		return;
	}
	int tid = (int)fg_load_relaxed(&fg_doorbell.monitor_tid);
	fg_store_relaxed(&fg_doorbell.monitor_tid, 0);
	fg_kernel_thread_gone(tid, FG_GONE_STEPS);
	fg_solitude_end();
	fg_spawner_end();
	FG_EACH_WORKER (worker) {
		fg_preempt_forget(worker);
		fg_pu_counters_forget(worker);
		assert(!worker->timer_on && !fg_parts(worker)->counting.open);
	}
	fg_store_relaxed(&monitor.started, 0);
}

void
fg_monitor_allow(void)
{
	fg_store_release(&fg_doorbell.monitor_awake, 0);
}

/* The monitor's thread has all signals blocked, because the signals of the process are meant for the program's
 * threads. */
static void
start(void)
{
	uint64_t mask = fg_mask_now();
	fg_preempt_start();
	fg_mask_set(FG_MASK_ALL);
	if (fg_carrier->start(monitor_main, NULL, "fg-monitor")) {
		fg_store_release(&monitor.started, 0);
		fg_fence_seq_cst(); /* fg_monitor_end stores to_end, makes a fence, and reads `started` */
		if (fg_load_acquire(&monitor.to_end)) {
			fg_store_release(&monitor.to_end, 0);
			fg_carrier->wake(&monitor.to_end, 1);
		} else {
			fg_store_relaxed(&fg_doorbell.monitor_awake,
					 0); /* the next call of fg_monitor_want tries again */
		}
	}
	fg_mask_set(mask);
}

void
fg_monitor_wake(void)
{
	uint32_t asleep = 0;
	if (fg_load_acquire(&monitor.started) && fg_cas_acq_rel(&fg_doorbell.monitor_awake, &asleep, 1))
		fg_carrier->wake(&fg_doorbell.monitor_awake, 1);
}

void
fg_monitor_start(struct fg_identity *self)
{
	uint32_t asleep = 0;
	if (!fg_exec_options.monitor || !fg_cas_acq_rel(&fg_doorbell.monitor_awake, &asleep, 1))
		return;
	if (fg_exchange_acq_rel(&monitor.started, 1) != 0) {
		fg_carrier->wake(&fg_doorbell.monitor_awake, 1);
		return;
	}
	int saved = errno;
	bool inside = fg_step_out(self);
	start();
	fg_step_in(self, inside);
	errno = saved;
}

void
fg_monitor_after_fork(void)
{
	fg_preempt_after_fork();
	fg_spawner_after_fork();
	fg_solitude_after_fork();
	fg_store_relaxed(&fg_doorbell.monitor_tid, 0);
	fg_store_relaxed(&monitor.started, 0);
	fg_store_relaxed(&fg_doorbell.monitor_awake, 0);
	fg_store_relaxed(&monitor.to_end, 0);
	fg_store_relaxed(&monitor.ends_at, 0);
}
