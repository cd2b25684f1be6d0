/* Grant (floor: exec): see grant.h, and grant/boarding.c for the orders that a look gives.
 *
 * The monitor looks every 2 ms. A worker that waits or rides glances at the process's mask more often, and looks where
 * that has changed. One thread at a time looks: the word `looks` is their lock. */
#define _GNU_SOURCE
#include "exec/grant/grant.h"

#include <errno.h>
#include <sched.h>

#include "base/carrier.h"
#include "exec/body/seat.h"
#include "exec/grant/boarding.h"
#include "exec/grant/record.h"
#include "exec/grant/ride.h"
#include "exec/ground/options.h"
#include "exec/thread/doorbell.h"
#include "exec/thread/worker_parts.h"
#include "machine/quota.h"
#include "platform/process.h"
#include "platform/sandbox.h"
#include "platform/system_call.h"
#include "share/outside.h"
#include "share/own_set.h"
#include "share/served.h"
#include "share/share.h"

#define QUOTA_NS 40000000     /* between two reads of the quota */
#define SUSPECT_NS 1000000000 /* after a worker has lost time, the quota may be the reason for so long */
#define ASK_NS 1000000000     /* between two reads of the quota for which the monitor is woken */
#define NAP_NS 50000

static struct {
	struct fg_atomic_u64 quota_read, suspected; /* when; the monitor writes the first one */
	struct fg_atomic_u32 quota;		    /* PUs; 0: none. The monitor writes it. */
	struct fg_atomic_u64 seen;		    /* sum_of the process's mask at the last look */
	/* Dekker: the thread that looks stores `looks`, the end stores fg_rides.closed, and each then reads the other's
	 * word. So no order is given once the end has seen looks == 0. An order may be pending then. A worker that
	 * boards raises fg_rides.count, then reads fg_rides.closed. So none boards once the end has seen a count of 0.
	 */
	struct fg_atomic_u32 looks;
	uint32_t set_seen; /* `changes` of fg_own_set; of the thread that looks */
} grant;

/* The monitor reads the quota, because a worker that waits must not wait for files. They are opened only where there is
 * reason to: a number that the program has closed may just be wanted for its own. */
static void
read_quota(uint64_t now)
{
	if (now - fg_load_relaxed(&grant.quota_read) < QUOTA_NS || !fg_sandbox_allows(FG_SANDBOX_FILES))
		return;
	fg_store_relaxed(&grant.quota_read, now);
	fg_store_relaxed(&grant.quota, (uint32_t)((fg_cpu_quota_milli() + 999) / 1000));
}

/* The worker has lost time, and the quota, which may be the reason, was not read of late. */
static bool
wants_quota(const struct fg_worker *worker, uint64_t now)
{
	return now < fg_parts(worker)->sharing.until && now - fg_load_relaxed(&grant.quota_read) >= ASK_NS &&
	       fg_sandbox_allows(FG_SANDBOX_FILES);
}

/* The mask of a kernel thread; 0: the caller's. */
static bool
mask_of(int tid, struct fg_cpuset *set)
{
	fg_cpuset_clear(set);
	return fg_system_call_affinity(tid, sizeof *set, (cpu_set_t *)set->bits) == 0;
}

/* Different masks have different sums, but for chance. Then a change is seen 2 ms later, by the monitor. */
static uint64_t
sum_of(const struct fg_cpuset *set)
{
	uint64_t sum = 0;
	for (unsigned i = 0; i < FG_CPUSET_WORDS; i++)
		sum = (sum ^ set->bits[i]) * UINT64_C(0x9e3779b97f4a7c15);
	return sum;
}

/* The number of PUs that mask and quota leave to the process, at least 1. The set was its mask. */
static unsigned
left_over(struct fg_cpuset *set)
{
	unsigned n = 0, quota = fg_load_relaxed(&grant.quota);
	for (unsigned i = 0; i < FG_CPUSET_WORDS; i++) {
		set->bits[i] &= fg_exec_options.cpus.bits[i];
		n += (unsigned)__builtin_popcountll(set->bits[i]);
	}
	if (quota && quota < n)
		n = quota;
	return n ? n : 1;
}

/* The number of granted PUs, at least 1. The set was the mask of the process. */
static unsigned
granted(struct fg_cpuset *set)
{
	unsigned n = left_over(set), share = fg_load_relaxed(&fg_sharing.limit);
	return share && share < n ? share : n;
}

/* The PUs that the process could keep busy now: workers that are awake. *region: one is in flight. */
FG_READS_HINTS static unsigned
n_busy(bool *region)
{
	unsigned busy = 0;
	*region = false;
	for (struct fg_worker *worker = fg_boarding_first(); worker; worker = worker->all_next) {
		*region |= fg_boarding_is_root(worker);
		busy += (fg_boarding_is_root(worker) || fg_boarding_is_pooled(worker)) &&
			!fg_load_relaxed(&worker->asleep);
	}
	return busy;
}

/* Where the first root in a region was just now; -1: it is not known. */
FG_READS_HINTS static int
place_of_root(void)
{
	for (struct fg_worker *worker = fg_boarding_first(); worker; worker = worker->all_next)
		if (fg_boarding_is_root(worker))
			return (int)fg_load_relaxed(&fg_parts(worker)->bound.pu) - 1;
	return -1;
}

/* The process has another set of PUs. Workers sit down anew where they wait. */
static void
sit_anew(void)
{
	if (grant.set_seen == fg_own_set.changes)
		return;
	grant.set_seen = fg_own_set.changes;
	fg_add_release(&fg_all_workers.returns, 1); /* after the words of the set (share/own_set.h) */
}

/* `set` is the process's mask. */
FG_READS_HINTS static bool
look_with(struct fg_cpuset *set, uint64_t now, bool periodic)
{
	bool rides = fg_load_relaxed(&fg_rides.count) != 0, region;
	uint64_t sum = sum_of(set);
	unsigned busy = n_busy(&region), most = left_over(set);
	struct fg_share_state state = {.in_region = region,
				       .busy = busy < most ? busy : most,
				       .pus = most,
				       .outside = fg_outside_counts(now),
				       .root = place_of_root()};
	unsigned pus = fg_share_look(now, &state, set);
	fg_grant_record(pus, most, now);
	sit_anew();
	bool enough = !rides && pus >= fg_exec_options.n_pus;
	if (region || enough) /* else the next region must see the change */
		fg_store_relaxed(&grant.seen, sum);
	if (enough) {
		fg_store_relaxed(&fg_rides.crowded, 0);
		fg_boarding_withdraw();
		return false;
	}
	if (region) {
		assert(fg_load_stable(&grant.looks) == 1);
		fg_boarding_decide(pus, most, set);
		fg_boarding_give(periodic);
	}
	if (rides)
		fg_boarding_look_at_boarding(periodic);
	return rides && region;
}

/* A program whose threads are bound to places gives no PUs away, but others must know that it is active. */
static void
tell_others(struct fg_cpuset *set, uint64_t now)
{
	bool region;
	unsigned busy = n_busy(&region), pus = left_over(set);
	fg_share_look(now, &(struct fg_share_state){region, true, busy < pus ? busy : pus, pus, 0, -1}, set);
}

/* Says it to others by a look of its own kind, if no other look is on. */
FG_READS_HINTS static void
tell_wait(void (*tell)(uint64_t now))
{
	if (!fg_load_relaxed(&fg_sharing.board))
		return;
	struct fg_identity *self = fg_self();
	bool inside = fg_enter_again(self); /* no tick takes the PU from the thread that looks */
	if (fg_exchange_acq_rel(&grant.looks, 1) == 0) {
		fg_fence_seq_cst();
		bool region = true;
		if (!fg_load_relaxed(&fg_rides.closed))
			n_busy(&region);
		if (!region)
			tell(fg_carrier->now());
		sit_anew();
		fg_store_release(&grant.looks, 0);
	}
	fg_leave_again(self, inside);
}

void
fg_grant_wait_begins(void)
{
	tell_wait(fg_share_rest);
}

void
fg_grant_wait_ends(void)
{
	tell_wait(fg_share_return);
}

/* periodic: the monitor looks, every 2 ms. */
static bool
look(struct fg_cpuset *set, uint64_t now, bool periodic)
{
	if (fg_exchange_acq_rel(&grant.looks, 1) != 0)
		return false;
	fg_fence_seq_cst();
	bool goes_on = false;
	if (fg_exec_options.binds)
		tell_others(set, now);
	else if (!fg_load_relaxed(&fg_rides.closed))
		goes_on = look_with(set, now, periodic);
	assert(fg_load_stable(&grant.looks) == 1);
	fg_store_release(&grant.looks, 0);
	return goes_on;
}

/* The monitor hears the server before its look, and tells it after that what the look has found. */
static bool
look_served(struct fg_cpuset *set, uint64_t now)
{
	fg_served_hear(now);
	bool goes_on = look(set, now, true);
	return fg_served_ask(now, set, left_over(set)) ? look(set, now, false) : goes_on;
}

/* How far the program has come: barriers that its workers have passed, and members that they have begun. */
FG_READS_HINTS static uint64_t
steps(void)
{
	uint64_t sum = 0;
	for (struct fg_worker *worker = fg_boarding_first(); worker; worker = worker->all_next)
		sum += worker->crew.phase + fg_parts(worker)->statistics.births;
	return sum;
}

bool
fg_grant_look(uint64_t now)
{
	struct fg_cpuset set;
	if (fg_exec_options.kernel_threads || (fg_exec_options.binds && !fg_load_relaxed(&fg_sharing.board)))
		return false;
	if (!fg_cpuset_affinity(&set))
		set = fg_exec_options.cpus;
	if (fg_load_relaxed(&fg_rides.count) != 0 || now - fg_load_relaxed(&grant.suspected) < SUSPECT_NS)
		read_quota(now);
	struct fg_board *board = fg_load_acquire(&fg_sharing.board);
	if (board && !fg_exec_options.binds && fg_outside_is_on(now))
		fg_outside_look(board, now, fg_process_id(), &set, steps());
	return board && fg_serving.on ? look_served(&set, now) : look(&set, now, true);
}

/* The workers that must board need the PU on which the caller waits. */
bool
fg_grant_glance(struct fg_worker *worker)
{
	struct fg_cpuset set;
	int tid = (int)fg_load_relaxed(&fg_doorbell.monitor_tid), saved = errno;
	assert(fg_worker_is_own(worker) && fg_lock_order_none("glances at the mask with"));
	if (!tid || !worker->carries || fg_exec_options.kernel_threads || fg_exec_options.binds)
		return false;
	bool news = fg_share_has_news(), known = mask_of(tid, &set);
	bool changed = known && sum_of(&set) != fg_load_relaxed(&grant.seen);
	if (changed || (known && news)) {
		look(&set, fg_carrier->now(), false);
		fg_monitor_poke();
	}
	errno = saved;
	return changed || fg_boarding_pending();
}

/* To start the monitor, the caller leaves the runtime for a moment, and may be preempted. Only a thread that stays with
 * its worker may do that in the midst of a wait. */
void
fg_grant_call(const struct fg_worker *worker)
{
	struct fg_identity *self = fg_self();
	if (self->pinned == worker)
		fg_monitor_want(self);
	else
		fg_monitor_poke();
}

void
fg_grant_suspect(struct fg_worker *worker, bool outside)
{
	struct fg_cpuset set;
	assert(fg_worker_is_own(worker) && fg_lock_order_none("suspects with"));
	if (!worker->carries || !fg_exec_options.monitor || fg_exec_options.kernel_threads || fg_exec_options.binds)
		return;
	int saved = errno;
	uint64_t now = fg_carrier->now();
	fg_store_relaxed(&grant.suspected, now);
	if (!fg_seat_mask(&set))
		set = fg_exec_options.cpus;
	outside = outside && fg_load_relaxed(&fg_sharing.board) && fg_outside_found(now);
	if (granted(&set) < fg_exec_options.n_pus || wants_quota(worker, now) || outside)
		fg_grant_call(worker);
	errno = saved;
}

#define END_ROUNDS 40000 /* some seconds: the system gives no thread any more */

/* The last look. The monitor ends before its next one, by which the PUs and the tokens of make would go back. A look
 * that meets this one says nothing. */
static void
pause_sharing(void)
{
	struct fg_atomic_u32 nap = {0};
	while (fg_exchange_acq_rel(&grant.looks, 1) != 0)
		fg_carrier->wait(&nap, 0, NAP_NS);
	fg_share_pause(fg_carrier->now());
	fg_store_release(&grant.looks, 0);
}

/* Outside of regions the rides are those of workers that are docked, which wait, and look. */
bool
fg_grant_end(void)
{
	struct fg_atomic_u32 nap = {0};
	fg_store_relaxed(&fg_rides.closed, 1);
	fg_fence_seq_cst();
	while (fg_load_acquire(&grant.looks))
		fg_carrier->wait(&nap, 0, NAP_NS);
	for (unsigned i = 0; fg_load_acquire(&fg_rides.count) != 0; i++) {
		if (i == END_ROUNDS) {
			fg_grant_allow();
			return false;
		}
		for (struct fg_worker *worker = fg_boarding_first(); worker; worker = worker->all_next) {
			if (fg_load_relaxed(&fg_parts(worker)->ride.boarding) != NULL)
				fg_boarding_take_back(worker);
			struct fg_worker *head = fg_load_relaxed(&worker->head);
			fg_store_relaxed(&fg_parts(worker)->ride.wanted, head && head != worker ? worker : NULL);
			if (head && head != worker)
				fg_ride_tell(worker);
		}
		fg_carrier->wait(&nap, 0, NAP_NS);
	}
	pause_sharing();
	return true;
}

void
fg_grant_allow(void)
{
	fg_store_relaxed(&fg_rides.closed, 0);
}

void
fg_grant_after_fork(void)
{
	fg_store_relaxed(&fg_rides.closed, 0);
	fg_store_relaxed(&fg_rides.crowded, 0);
	fg_store_relaxed(&grant.looks, 0);
	fg_store_relaxed(&fg_rides.count, 0);
	fg_share_after_fork();
	fg_outside_after_fork();
}
