/* Grant (floor: exec): see grant.h, and grant/ride.c for what becomes of the orders that are given here.
 *
 * One kernel thread for each granted PU. That of a root is one of them, because a root stays there; it takes riders in
 * while no other root has regions. The other kernel threads are those of the workers whose own PU is granted, then of
 * the first others. The remaining workers ride. Each goes to the kernel thread with the fewest riders, and among these
 * to the nearest.
 *
 * Orders are given at a look. The monitor looks every 2 ms. A worker that waits or rides glances at the process's mask
 * more often, and looks where that has changed. One thread at a time looks: the word `looks` is their lock. Orders are
 * given again at each look until they are carried out. A rider that must change its kernel thread gets its own back
 * first. A worker that has riders rides only once these have left. */
#define _GNU_SOURCE
#include "exec/grant/grant.h"

#include <errno.h>
#include <sched.h>

#include "base/carrier.h"
#include "exec/body/seat.h"
#include "exec/grant/ride.h"
#include "exec/ground/hooks.h"
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
#define PATIENCE 5	      /* looks: a ride that has not taken a rider in by then is busy with other things */
#define REST 25		      /* looks: the rider keeps its own kernel thread for so long */
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
	struct fg_atomic_u32 pending; /* 0: no worker is told to board; a hint */
	uint32_t set_seen;	      /* `changes` of fg_own_set; of the thread that looks */
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

/* The worker is one of the pool, and at work. */
FG_READS_HINTS static bool
is_pooled(const struct fg_worker *worker)
{
	return worker->slot != 0 && worker->carries;
}

/* A root in its region. */
FG_READS_HINTS static bool
is_root(const struct fg_worker *worker)
{
	return worker->home->root && worker->carries;
}

static struct fg_worker *
first_worker(void)
{
	return fg_load_acquire(&fg_all_workers.first);
}

static unsigned
distance(struct fg_worker *a, struct fg_worker *b)
{
	unsigned x = fg_worker_leaf(a)->first_pu, y = fg_worker_leaf(b)->first_pu;
	return x > y ? x - y : y - x;
}

static bool
is_granted(unsigned cpu, const struct fg_cpuset *set)
{
	return fg_cpuset_has(set, cpu) && (!fg_own_set_binds() || fg_own_set_has(cpu));
}

/* Marks `many` workers of the pool that keep kernel threads: those whose own PU is granted come first. */
FG_READS_HINTS static void
choose_keepers(unsigned many, const struct fg_cpuset *set)
{
	for (int own = 1; own >= 0; own--)
		for (struct fg_worker *worker = first_worker(); worker && many; worker = worker->all_next)
			if (is_pooled(worker) && !fg_parts(worker)->watch.ride.keeps &&
			    (!own || is_granted(fg_worker_leaf(worker)->cpu, set))) {
				fg_parts(worker)->watch.ride.keeps = true;
				many--;
			}
}

FG_READS_HINTS static struct fg_worker *
host_for(struct fg_worker *rider)
{
	struct fg_worker *best = NULL;
	for (struct fg_worker *worker = first_worker(); worker; worker = worker->all_next) {
		if (!fg_parts(worker)->watch.ride.keeps)
			continue;
		unsigned riders = fg_parts(worker)->watch.ride.riders,
			 least = best ? fg_parts(best)->watch.ride.riders : 0;
		if (!best || riders < least || (riders == least && distance(worker, rider) < distance(best, rider)))
			best = worker;
	}
	if (best)
		fg_parts(best)->watch.ride.riders++;
	assert(best != rider);
	return best;
}

/* Decides with which worker each worker of the pool must ride: watch.ride.with. There are `most` PUs, and the process
 * uses `pus` of them. */
FG_READS_HINTS static void
decide(unsigned pus, unsigned most, const struct fg_cpuset *set)
{
	assert(fg_load_stable(&grant.looks) == 1 && pus > 0);
	bool several = fg_load_relaxed(&fg_bubble_origins.several);
	unsigned roots = 0, pool = 0;
	for (struct fg_worker *worker = first_worker(); worker; worker = worker->all_next) {
		fg_parts(worker)->watch.ride.with = NULL;
		fg_parts(worker)->watch.ride.riders = 0;
		fg_parts(worker)->watch.ride.keeps = is_root(worker) && !several;
		roots += is_root(worker);
		pool += is_pooled(worker);
	}
	unsigned keepers = pus > roots ? pus - roots : several;
	fg_store_relaxed(&fg_rides.crowded, pool && roots + keepers > most);
	if (roots + pool <= pus)
		return;
	choose_keepers(keepers, set);
	for (struct fg_worker *worker = first_worker(); worker; worker = worker->all_next)
		if (is_pooled(worker) && !fg_parts(worker)->watch.ride.keeps)
			fg_parts(worker)->watch.ride.with = host_for(worker);
}

FG_READS_HINTS static void
order(struct fg_worker *worker, bool periodic)
{
	struct fg_worker *with = fg_parts(worker)->watch.ride.with, *head = fg_load_relaxed(&worker->head);
	struct fg_worker *now = head == worker ? NULL : head;
	assert(fg_load_stable(&grant.looks) == 1 && with != worker && (!with || fg_parts(with)->watch.ride.keeps));
	if (fg_parts(worker)->watch.ride.rest && periodic)
		fg_parts(worker)->watch.ride.rest--;
	if (with == now || (!now && (head || fg_parts(worker)->watch.ride.rest))) {
		fg_store_relaxed(&fg_parts(worker)->ride.wanted, NULL);
		return;
	}
	fg_store_relaxed(&fg_parts(worker)->ride.wanted, now ? worker : with);
	fg_exchange_acq_rel(&fg_worker_head(worker)->news, 1);
	if (now || fg_load_relaxed(&worker->asleep))
		return; /* a sleeper needs no PU, and looks once it is woken */
	/* It looks at its next barrier, though it may find that it need not wait there. */
	fg_or_acq_rel(&worker->notice, FG_NOTICE_MOVE);
	fg_store_release(&grant.pending, 1);
}

/* A worker that is awake has been told to board, and has not boarded yet. */
FG_READS_HINTS static bool
is_pending(void)
{
	if (!fg_load_relaxed(&grant.pending))
		return false;
	fg_exchange_acquire(&grant.pending, 0); /* an order that comes from now on is not lost */
	for (struct fg_worker *worker = first_worker(); worker; worker = worker->all_next) {
		const struct fg_worker *wanted = fg_load_relaxed(&fg_parts(worker)->ride.wanted);
		if (wanted && wanted != worker && !fg_load_relaxed(&worker->asleep)) {
			fg_store_relaxed(&grant.pending, 1);
			return true;
		}
	}
	return false;
}

/* The PUs are back before any worker has boarded. */
FG_READS_HINTS static void
withdraw(void)
{
	if (!fg_load_relaxed(&grant.pending))
		return;
	fg_store_relaxed(&grant.pending, 0);
	for (struct fg_worker *worker = first_worker(); worker; worker = worker->all_next)
		if (!fg_load_relaxed(&worker->head))
			fg_store_relaxed(&fg_parts(worker)->ride.wanted, NULL);
}

/* The workers in the list get kernel threads again, as far as there are spares. */
static void
take_back(struct fg_worker *head)
{
	struct fg_worker *worker = fg_ride_unqueue(head);
	while (worker) {
		struct fg_worker *following = fg_parts(worker)->ride.link;
		assert(fg_load_stable(&worker->head) == head && !fg_parts(worker)->ride.next && worker != head);
		void *spare = fg_exec_hooks.reserve();
		if (spare) {
			fg_store_relaxed(&worker->head, NULL);
			fg_parts(worker)->watch.ride.rest = REST;
			fg_exec_hooks.resume(spare, worker);
		} else
			fg_ride_queue(head, worker);
		worker = following;
	}
}

/* Workers wait for a place in a ride, and its owner does not take them in: a root that may not, or a thread that no
 * tick reaches. */
FG_READS_HINTS static void
look_at_boarding(struct fg_worker *head, bool periodic)
{
	bool waits = fg_load_relaxed(&fg_parts(head)->ride.boarding) != NULL;
	bool refuses = head->home->root && fg_load_relaxed(&fg_bubble_origins.several);
	bool stands = waits && head->carries && fg_parts(head)->watch.ride.taken_in == fg_parts(head)->ride.taken_in;
	if (periodic) {
		fg_parts(head)->watch.ride.looks = stands ? fg_parts(head)->watch.ride.looks + 1 : 0;
		fg_parts(head)->watch.ride.taken_in = fg_parts(head)->ride.taken_in;
	}
	if (waits && (refuses || fg_parts(head)->watch.ride.looks > PATIENCE))
		take_back(head);
}

/* The PUs that the process could keep busy now: workers that are awake. *region: one is in flight. */
FG_READS_HINTS static unsigned
n_busy(bool *region)
{
	unsigned busy = 0;
	*region = false;
	for (struct fg_worker *worker = first_worker(); worker; worker = worker->all_next) {
		*region |= is_root(worker);
		busy += (is_root(worker) || is_pooled(worker)) && !fg_load_relaxed(&worker->asleep);
	}
	return busy;
}

/* Where the first root in a region was just now; -1: it is not known. */
FG_READS_HINTS static int
place_of_root(void)
{
	for (struct fg_worker *worker = first_worker(); worker; worker = worker->all_next)
		if (is_root(worker))
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
	sit_anew();
	bool enough = !rides && pus >= fg_exec_options.n_pus;
	if (region || enough) /* else the next region must see the change */
		fg_store_relaxed(&grant.seen, sum);
	if (enough) {
		fg_store_relaxed(&fg_rides.crowded, 0);
		withdraw();
		return false;
	}
	if (region) {
		decide(pus, most, set);
		for (struct fg_worker *worker = first_worker(); worker; worker = worker->all_next)
			if (is_pooled(worker))
				order(worker, periodic);
	}
	for (struct fg_worker *worker = first_worker(); rides && worker; worker = worker->all_next)
		look_at_boarding(worker, periodic);
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
	if (!fg_load_relaxed(&fg_sharing.board) || fg_exchange_acq_rel(&grant.looks, 1) != 0)
		return;
	fg_fence_seq_cst();
	bool region = true;
	if (!fg_load_relaxed(&fg_rides.closed))
		n_busy(&region);
	if (!region)
		tell(fg_carrier->now());
	sit_anew();
	fg_store_release(&grant.looks, 0);
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
	for (struct fg_worker *worker = first_worker(); worker; worker = worker->all_next)
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
	return changed || is_pending();
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
		for (struct fg_worker *worker = first_worker(); worker; worker = worker->all_next) {
			if (fg_load_relaxed(&fg_parts(worker)->ride.boarding) != NULL)
				take_back(worker);
			struct fg_worker *head = fg_load_relaxed(&worker->head);
			fg_store_relaxed(&fg_parts(worker)->ride.wanted, head && head != worker ? worker : NULL);
			if (head && head != worker)
				fg_ride_tell(worker);
		}
		fg_carrier->wait(&nap, 0, NAP_NS);
	}
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
