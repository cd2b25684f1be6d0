/* Workers (floor: exec): see workers.h.
 *
 * How many. A flat team needs a worker for each PU that it has members for. Nested regions ask for as many workers
 * as members may run at a time: the product of the sizes of the teams around them (birth.c). Where no policy steals,
 * they ask for all workers, because no other worker would run the entities that lie on a PU.
 *
 * Starting. There is a goal. Each thread that starts workers takes one at a time of those that are missing. These
 * are the thread that needs the workers, and each new worker before it does anything else. So the number of workers
 * doubles in the time that it takes to start one. A thread that opens a flat region takes part until none is
 * missing, and then waits for the workers that other threads are starting. Each of these workers is in the hands of
 * one thread, which reports the end with `settled`. A thread that opens a nested region starts FIRST workers and
 * goes on.
 *
 * Slots. A worker gets its slot from the thread that has started it, after the start. So slots have no gaps, and no
 * team counts on a worker that the system refused. After a refusal no thread starts workers until one is asked for
 * anew.
 *
 * Seats. A worker that takes no part in a flat team sits where one more member would sit. Imagine a team with a
 * member for each worker that is wanted, dealt evenly over the machine as `spread` does it. The worker sits where
 * that team has members and this one has none. So the distributions of nested teams (affinity, cache) find workers
 * where they deal to.
 *
 * Any thread that deals seats writes a worker's `seat`. From its hiring on, only the worker itself writes its `leaf`,
 * when it sees a fork. So all that it does between two forks rests on one leaf. */
#define _GNU_SOURCE
#include "exec/pool/workers.h"

#include <errno.h>
#include <limits.h>
#include <string.h>

#include "base/carrier.h"
#include "exec/ground/above.h"
#include "exec/ground/options.h"
#include "exec/thread/donor_pool.h"
#include "exec/thread/kernel_thread.h"
#include "exec/thread/levels.h"
#include "exec/thread/stack_overflow.h"
#include "platform/memory.h"
#include "platform/nearby.h"
#include "platform/thread.h"
#include "sched/policy.h"

#define CROWDED_NS 10000000 /* a new worker may share its maker's PU for so long */
#define FIRST 2		    /* these start the others */

struct fg_workers fg_workers;

static struct {
	struct fg_spinlock lock;
	unsigned goal;		   /* slots that are wanted */
	unsigned pending;	   /* workers that are being started */
	bool refused;		   /* the system has refused a worker since the last request */
	struct fg_identity *ended; /* homes of workers that have no kernel thread: other threads may still read these */
	uint16_t *seat;		   /* the PU of each slot, with or without a worker; all different */
	bool *used, *dealt;	   /* by PU: scratch memory of the functions that deal seats */
	void (*main)(void *worker);
	struct fg_atomic_u64 *epoch;
	struct fg_atomic_u32 settled; /* counts the ends of `pending` */
} hiring = {.lock = FG_SPINLOCK_INIT(FG_RANK_POOL)};

/* Marks the PUs where n members are dealt evenly below a level. */
static void
deal_below(struct fg_runqueue *level, unsigned n)
{
	const struct fg_runqueue_list *below = fg_runqueue_below(level);
	unsigned given = 0, pus = 0;
	if (!below)
		hiring.dealt[level->first_pu] = n != 0;
	for (unsigned i = 0; below && i < below->n; i++) {
		pus += below->queue[i]->n_pus;
		unsigned until = (unsigned)(((unsigned long)n * pus + level->n_pus - 1) / level->n_pus);
		deal_below(below->queue[i], until - given);
		given = until;
	}
}

/* Deals the seats of the slots from `from` on. The slots before it have their seats. */
static void
deal_seats_locked(unsigned from)
{
	unsigned n_pus = fg_exec_options.n_pus, next = from;
	memset(hiring.used, 0, n_pus * sizeof *hiring.used);
	for (unsigned i = 0; i < from; i++)
		hiring.used[hiring.seat[i]] = true;
	if (fg_policy_steals())
		deal_below(fg_levels_top(), hiring.goal < n_pus ? hiring.goal : n_pus);
	for (int dealt = 1; dealt >= 0; dealt--)
		for (unsigned pu = 0; pu < n_pus; pu++)
			if (!hiring.used[pu] && hiring.dealt[pu] == dealt)
				hiring.seat[next++] = (uint16_t)pu;
}

bool
fg_workers_begin(void (*main)(void *worker), struct fg_atomic_u64 *epoch)
{
	unsigned n = fg_exec_options.n_pus;
	if (fg_workers.slot)
		return true;
	struct fg_worker **slot = fg_memory_zeroed(n * sizeof *slot);
	hiring.seat = fg_memory_zeroed(n * sizeof *hiring.seat);
	hiring.used = fg_memory_zeroed(n * sizeof *hiring.used);
	hiring.dealt = fg_memory_zeroed(n * sizeof *hiring.dealt);
	if (!slot || !hiring.seat || !hiring.used || !hiring.dealt)
		return false;
	hiring.main = main;
	hiring.epoch = epoch;
	fg_spinlock_lock(&hiring.lock);
	fg_workers.slot = slot;
	fg_workers.n = 1;
	deal_seats_locked(1);
	fg_spinlock_unlock(&hiring.lock);
	return true;
}

static struct fg_identity *
home_new(void)
{
	struct fg_identity *home = fg_memory_aligned(64, (sizeof *home + 63) & ~(size_t)63);
	struct fg_worker *worker = fg_memory_aligned(128, sizeof *worker);
	if (!home || !worker) {
		fg_memory_free(home);
		fg_memory_free(worker);
		return NULL;
	}
	memset(worker, 0, sizeof *worker);
	fg_worker_init(worker, home, 0, fg_levels_leaf(0));
	return home;
}

static struct fg_identity *
ended_take(void)
{
	fg_spinlock_lock(&hiring.lock);
	struct fg_identity *home = hiring.ended;
	if (home)
		hiring.ended = home->next;
	fg_spinlock_unlock(&hiring.lock);
	return home;
}

static bool
start_worker(struct fg_identity *home)
{
	struct fg_worker *worker = home->worker;
	memset(home, 0, sizeof *home);
	home->kind = FG_HOME;
	fg_own_store_relaxed(&home->in_runtime, 1);
	home->worker = home->pinned = worker;
	worker->hire.kept_off.left = 0;
	fg_store_relaxed(&worker->hire.hired, 0);
	bool started = fg_kernel_thread_start(hiring.main, worker);
	fg_stack_overflow_install(); /* the new thread needs the handler, and only waits for its slot now */
	return started;
}

static void
home_end_locked(struct fg_identity *home)
{
	home->next = hiring.ended;
	hiring.ended = home;
}

/* The epoch is read before the slot counts. So the worker takes part in none of the earlier forks. */
static void
hire_locked(struct fg_worker *worker)
{
	worker->flat.epoch = fg_load_acquire(hiring.epoch);
	assert(fg_workers.n < hiring.goal);
	worker->slot = worker->home->member = fg_workers.n;
	fg_store_relaxed(&worker->leaf, fg_levels_leaf(hiring.seat[fg_workers.n]));
	fg_store_relaxed(&worker->seat, fg_worker_leaf(worker));
	worker->carries = true;
	fg_workers.slot[fg_workers.n++] = worker;
}

enum { WAITS = 2 }; /* hire.hired: the worker sleeps until it has its slot */

void
fg_workers_enter(struct fg_worker *worker)
{
	uint32_t hired = fg_load_acquire(&worker->hire.hired);
	worker->tid = fg_thread_id();
	if (!hired && fg_cas_acq_rel(&worker->hire.hired, &hired, WAITS))
		while (fg_load_acquire(&worker->hire.hired) == WAITS)
			fg_carrier->wait(&worker->hire.hired, WAITS, 0);
	fg_nearby_let_back(worker->hire.kept_off);
}

/* True: a worker was missing, and the caller must start it now (start_missing). */
static bool
take_missing(unsigned slots)
{
	fg_spinlock_lock(&hiring.lock);
	unsigned goal = hiring.goal < slots ? hiring.goal : slots;
	bool more = fg_workers.slot && !hiring.refused && fg_workers.n + hiring.pending < goal;
	hiring.pending += more;
	fg_spinlock_unlock(&hiring.lock);
	return more;
}

/* The kernel often puts a new kernel thread on its maker's PU. It leaves both there for milliseconds, with other PUs
 * idle. So the maker lets a worker that has not run yet run now, up to its sleep. When the maker wakes the worker,
 * it keeps it off the maker's own PU. At that moment neither the program nor the worker itself is about to set the
 * worker's mask. If the worker has no other PU, it soon binds itself to one, or both must share. */
static void
let_begin(struct fg_worker *worker)
{
	if (!fg_load_relaxed(&worker->hire.hired) && fg_carrier->yield)
		fg_carrier->yield();
	if (fg_load_acquire(&worker->hire.hired) == WAITS && fg_carrier->yield) {
		worker->hire.kept_off = fg_nearby_keep_off(worker->tid);
		if (!worker->hire.kept_off.left)
			fg_store_relaxed(&fg_kernel_thread_crowded, fg_carrier->now() + CROWDED_NS);
	}
	if (fg_exchange_acq_rel(&worker->hire.hired, 1) == WAITS)
		fg_carrier->wake(&worker->hire.hired, 1);
}

/* The caller is inside before and after. It is outside while it makes a worker, because that may wait for a lock of
 * the C library. It is inside while it holds `hiring.lock`, because no tick may preempt the holder. */
static void
start_missing(struct fg_identity *self)
{
	struct fg_identity *home = ended_take();
	fg_leave(self);
	bool started = (home || (home = home_new())) && start_worker(home);
	fg_enter(self);
	struct fg_worker *worker = started ? home->worker : NULL;
	fg_spinlock_lock(&hiring.lock);
	if (started)
		hire_locked(worker);
	else if (home)
		home_end_locked(home);
	hiring.refused |= !started;
	assert(hiring.pending > 0);
	hiring.pending--;
	bool last = hiring.pending == 0 || fg_workers.n >= hiring.goal;
	fg_add_release(&hiring.settled, 1);
	fg_spinlock_unlock(&hiring.lock);
	if (started)
		let_begin(worker);
	if (last)
		fg_carrier->wake(&hiring.settled, UINT_MAX);
}

void
fg_workers_help(struct fg_identity *self)
{
	while (take_missing(UINT_MAX))
		start_missing(self);
}

/* `asked`: fg_workers.asked must be at least so much. */
static void
ask(unsigned slots, unsigned asked)
{
	fg_spinlock_lock(&hiring.lock);
	if (asked > fg_load_relaxed(&fg_workers.asked))
		fg_store_relaxed(&fg_workers.asked, asked);
	hiring.refused = false;
	if (hiring.goal < slots) {
		hiring.goal = slots;
		if (fg_workers.slot)
			deal_seats_locked(fg_workers.n);
	}
	fg_spinlock_unlock(&hiring.lock);
}

/* The state of the hiring. A caller waits on hiring.settled for a change of the value `settled` while other threads
 * start workers. */
struct look {
	bool there, busy, refused;
	uint32_t settled;
};

static struct look
look(unsigned slots)
{
	fg_spinlock_lock(&hiring.lock);
	struct look now = {fg_workers.n >= slots, hiring.pending != 0, hiring.refused, fg_load_relaxed(&hiring.settled)};
	fg_spinlock_unlock(&hiring.lock);
	return now;
}

bool
fg_workers_need(struct fg_identity *self, unsigned slots)
{
	for (ask(slots, 0);;) {
		while (take_missing(slots))
			start_missing(self);
		struct look now = look(slots);
		if (now.there)
			return true;
		if (now.refused && !now.busy)
			return false;
		if (now.busy) {
			fg_leave(self);
			fg_carrier->wait(&hiring.settled, now.settled, 0);
			fg_enter(self);
		}
	}
}

void
fg_workers_want(struct fg_identity *self, unsigned workers)
{
	unsigned n_pus = fg_exec_options.n_pus;
	bool all = workers >= n_pus || !fg_policy_steals();
	int saved = errno;
	ask(all ? n_pus : workers, all ? UINT_MAX : workers);
	for (unsigned i = 0; i < FIRST && take_missing(UINT_MAX); i++)
		start_missing(self);
	errno = saved;
}

void
fg_workers_sit(const struct fg_root *root)
{
	fg_spinlock_lock(&hiring.lock);
	for (unsigned i = 0; i < root->slots; i++)
		hiring.seat[i] = (uint16_t)root->pus[i];
	deal_seats_locked(root->slots);
	for (unsigned i = 1; i < fg_workers.n; i++)
		fg_store_relaxed(&fg_workers.slot[i]->seat, fg_levels_leaf(hiring.seat[i]));
	fg_spinlock_unlock(&hiring.lock);
}

void
fg_workers_quiet(void)
{
	fg_spinlock_lock(&hiring.lock);
	hiring.goal = 0;
	fg_spinlock_unlock(&hiring.lock);
	for (struct look now; (now = look(0)).busy;)
		fg_carrier->wait(&hiring.settled, now.settled, 0);
}

/* Makes the worker as it was before its first region. worker->done stays, because the dock's phases go on. */
static void
worker_clear(struct fg_worker *worker)
{
	fg_kernel_thread_gone(worker->home->tid, FG_GONE_STEPS);
	fg_donor_pool_return(worker);
	if (fg_exec_above.forget)
		fg_exec_above.forget(worker->home);
	fg_store_relaxed(&worker->hire.over, 0);
	fg_store_relaxed(&worker->lend.returned, 0);
	fg_store_relaxed(&worker->lend.wanted, 0);
	fg_store_relaxed(&worker->helps, 0);
	worker->wait.docked = NULL;
	worker->crew = (struct fg_crew){0};
	worker->home_root = NULL;
	worker->bound.place = 0;
}

/* The next nested region asks for workers anew. */
void
fg_workers_clear(void)
{
	for (unsigned i = 1; i < fg_workers.n; i++)
		worker_clear(fg_workers.slot[i]);
	fg_spinlock_lock(&hiring.lock);
	for (unsigned i = 1; i < fg_workers.n; i++)
		home_end_locked(fg_workers.slot[i]->home);
	if (fg_workers.n)
		fg_workers.n = 1;
	fg_spinlock_unlock(&hiring.lock);
	fg_store_relaxed(&fg_workers.asked, 0);
}

void
fg_workers_after_fork(void)
{
	fg_workers = (struct fg_workers){0};
	memset(&hiring, 0, sizeof hiring);
	fg_spinlock_init(&hiring.lock, FG_RANK_POOL);
}
