/* Workers (floor: exec): see workers.h.
 *
 * How many. A flat team needs a worker for each PU that it has members for. Nested regions ask for as many workers
 * as members may run at a time: the product of the sizes of the teams around them (birth.c). Where no policy steals,
 * they ask for all workers, because no other worker would run the entities that lie on a PU.
 *
 * Starting. There is a target. Each thread that starts workers takes one at a time of those that are missing. These
 * are the thread that needs the workers, and each new worker before it does anything else, if one was missing when it
 * was hired: its maker took that one for it. So the number of workers doubles in the time that it takes to start one.
 * A thread that opens a flat region takes part until none is missing, and then waits for the workers that other threads
 * are starting. Each of these workers is in the hands of one thread, which reports the end with `ends`. A thread that
 * opens a nested region starts FIRST workers and goes on.
 *
 * Numbers. A worker gets its number from the thread that has started it, after the start. So numbers have no gaps, and
 * no team counts on a worker that the system refused. After a refusal no thread starts workers until one is asked for
 * anew.
 *
 * Seats. A worker that takes no part in a flat team sits where one more member would sit. Imagine a team with a
 * member for each worker that is wanted, dealt evenly over the machine as `spread` does it. The worker sits where
 * that team has members and this one has none. So the distributions of nested teams (affinity, cache) find workers
 * where they deal to.
 *
 * Any thread that deals seats writes a worker's `seat`. From its hiring on, only the worker itself writes its `leaf`:
 * when it sees a fork, and where it takes `notice` (fg_seat_look). */
#define _GNU_SOURCE
#include "exec/pool/hiring.h"

#include <errno.h>
#include <limits.h>
#include <string.h>

#include "base/carrier.h"
#include "exec/body/kernel_thread.h"
#include "exec/body/binding.h"
#include "exec/body/seat.h"
#include "exec/body/stack_overflow.h"
#include "exec/donor/donor_pool.h"
#include "exec/ground/above.h"
#include "exec/ground/options.h"
#include "exec/thread/levels.h"
#include "exec/thread/root_state.h"
#include "exec/thread/whole_worker.h"
#include "exec/thread/worker.h"
#include "exec/thread/worker_parts.h"
#include "platform/memory.h"
#include "platform/nearby.h"
#include "platform/thread.h"
#include "sched/policy.h"

#define NEAR_MAKER_NS 10000000 /* a new worker may share its maker's PU for so long */
#define FIRST 2		       /* these start the others */

struct fg_workers fg_workers;

/* Marks the PUs where n members are dealt evenly below a level. */
static void
deal_below(struct fg_runqueue *level, unsigned n)
{
	const struct fg_runqueue_list *below = fg_runqueue_below(level);
	unsigned given = 0, pus = 0;
	if (!below)
		fg_hiring.dealt[level->first_pu] = n != 0;
	for (unsigned i = 0; below && i < below->n; i++) {
		pus += below->queue[i]->n_pus;
		unsigned until = (unsigned)(((unsigned long)n * pus + level->n_pus - 1) / level->n_pus);
		deal_below(below->queue[i], until - given);
		given = until;
	}
}

static void
seat_push(unsigned *n, bool used, int dealt)
{
	for (unsigned pu = 0; pu < fg_exec_options.n_pus; pu++)
		if (fg_hiring.used[pu] == used && fg_hiring.dealt[pu] == dealt)
			fg_hiring.seat[(*n)++] = (uint16_t)pu;
}

static struct fg_runqueue *
seat_take(void)
{
	return fg_levels_leaf(fg_hiring.seat[fg_hiring.seats++ % fg_exec_options.n_pus]);
}

/* The worker has no place in a layout. */
static bool
is_loose_locked(const struct fg_worker *worker)
{
	const struct fg_berth *berth = fg_load_relaxed(&worker->post);
	return berth->dock == &fg_hiring.nowhere || berth->slot >= berth->dock->held;
}

/* Deals the seats of the workers that have no layout: of all, or of those to come. If the layouts leave too few PUs,
 * the last ones sit where others do. */
static void
deal_seats_locked(bool all)
{
	unsigned n_pus = fg_exec_options.n_pus, n = 0;
	assert(fg_spinlock_held(&fg_hiring.lock));
	fg_hiring_mark_locked(NULL);
	for (unsigned i = 1; i < fg_workers.n; i++)
		if (!all && is_loose_locked(fg_workers.all[i])) {
			struct fg_runqueue *seat = fg_load_relaxed(&fg_workers.all[i]->seat);
			fg_hiring.used[seat->first_pu] = true;
		}
	memset(fg_hiring.dealt, 0, n_pus * sizeof *fg_hiring.dealt);
	if (fg_policy_steals())
		deal_below(fg_levels_top(), fg_hiring.target < n_pus ? fg_hiring.target : n_pus);
	for (int used = 0; used <= 1; used++)
		for (int dealt = 1; dealt >= 0; dealt--)
			seat_push(&n, used, dealt);
	assert(n == n_pus);
	fg_hiring.seats = 0;
	for (unsigned i = 1; i < fg_workers.n; i++)
		if (all && is_loose_locked(fg_workers.all[i]))
			fg_store_relaxed(&fg_workers.all[i]->seat, seat_take());
}

bool
fg_workers_begin(void (*main)(void *worker))
{
	unsigned n = fg_exec_options.n_pus;
	fg_spinlock_lock(&fg_hiring.lock);
	bool there = fg_workers.all, closed = fg_hiring.closed;
	fg_spinlock_unlock(&fg_hiring.lock);
	if (there || closed)
		return there;
	struct fg_worker **all = fg_memory_zeroed(n * sizeof *all);
	uint16_t *seat = fg_memory_zeroed(n * sizeof *seat);
	bool *used = fg_memory_zeroed(n * sizeof *used), *dealt = fg_memory_zeroed(n * sizeof *dealt);
	bool ready = all && seat && used && dealt;
	fg_spinlock_lock(&fg_hiring.lock);
	there = fg_workers.all;
	ready = ready && !fg_hiring.closed;
	if (ready && !there) {
		fg_hiring.main = main;
		fg_hiring.seat = seat;
		fg_hiring.used = used;
		fg_hiring.dealt = dealt;
		fg_workers.n = 1;
		fg_workers.all = all;
		deal_seats_locked(true);
	}
	fg_spinlock_unlock(&fg_hiring.lock);
	if (ready && !there)
		return true;
	fg_memory_free(all);
	fg_memory_free(seat);
	fg_memory_free(used);
	fg_memory_free(dealt);
	return there;
}

static struct fg_identity *
home_new(void)
{
	struct fg_identity *home = fg_memory_aligned(64, (sizeof *home + 63) & ~(size_t)63);
	struct fg_whole_worker *whole = fg_memory_aligned(128, sizeof *whole);
	if (!home || !whole) {
		fg_memory_free(home);
		fg_memory_free(whole);
		return NULL;
	}
	memset(whole, 0, sizeof *whole);
	fg_worker_init(&whole->worker, home, 0, fg_levels_leaf(0));
	return home;
}

static bool
start_worker(struct fg_identity *home)
{
	struct fg_worker *worker = home->worker;
	assert(worker->home == home && !worker->carries);
	memset(home, 0, sizeof *home);
	home->kind = FG_HOME;
	fg_charge_enter();
	fg_own_store_relaxed(&home->in_runtime, 1);
	home->worker = home->pinned = worker;
	fg_parts(worker)->hire.kept_off.left = 0;
	fg_store_relaxed(&fg_parts(worker)->hire.hired, 0);
	bool started = fg_kernel_thread_start(fg_hiring.main, worker);
	fg_stack_overflow_install(); /* the new thread needs the handler, and only waits for its slot now */
	return started;
}

static void
home_end_locked(struct fg_identity *home)
{
	home->next = fg_hiring.ended;
	fg_hiring.ended = home;
}

/* The worker is new: it waits for forks at the slot with its number. */
static void
post_locked(struct fg_worker *worker)
{
	assert(fg_spinlock_held(&fg_hiring.lock) && fg_parts(worker)->hire.number > 0 &&
	       fg_parts(worker)->hire.number < fg_exec_options.n_pus);
	struct fg_berth *berth = &fg_hiring.nowhere.berth[fg_parts(worker)->hire.number];
	worker->flat.post = berth;
	worker->flat.dock = &fg_hiring.nowhere;
	worker->flat.epoch = 0;
	worker->slot = berth->slot;
	fg_store_relaxed(&worker->post, berth);
	fg_store_relaxed(&fg_hiring.nowhere.slot[berth->slot], worker);
}

static void
hire_locked(struct fg_worker *worker)
{
	/* The target is 0 once a shutdown waits for the workers that are on their way. */
	assert((fg_hiring.target == 0 || fg_workers.n < fg_hiring.target) && fg_workers.n < fg_exec_options.n_pus &&
	       !worker->carries);
	fg_parts(worker)->hire.number = worker->home->member = fg_workers.n;
	post_locked(worker);
	fg_store_relaxed(&worker->leaf, seat_take());
	fg_store_relaxed(&worker->seat, fg_worker_leaf(worker));
	fg_worker_become(worker, FG_WORKER_CARRIES);
	fg_workers.all[fg_workers.n++] = worker;
	assert(fg_hiring_valid_locked());
}

enum { WAITS = 2 }; /* hire.hired: the worker sleeps until it has its slot */

void
fg_workers_enter(struct fg_worker *worker)
{
	uint32_t hired = fg_load_acquire(&fg_parts(worker)->hire.hired);
	assert(hired <= 1 && !fg_load_stable(&fg_parts(worker)->hire.over));
	worker->tid = fg_thread_id();
	if (!hired && fg_cas_acq_rel(&fg_parts(worker)->hire.hired, &hired, WAITS))
		while (fg_load_acquire(&fg_parts(worker)->hire.hired) == WAITS)
			fg_carrier->wait(&fg_parts(worker)->hire.hired, WAITS, 0);
	fg_nearby_let_back(fg_parts(worker)->hire.kept_off);
}

/* True: a worker was missing, and the caller must start it now (start_missing), in the memory of one that has ended;
 * NULL: there is none. */
static bool
take_missing_locked(unsigned slots, struct fg_identity **ended)
{
	unsigned target = fg_hiring.target < slots ? fg_hiring.target : slots;
	assert(fg_spinlock_held(&fg_hiring.lock));
	if (!fg_workers.all || !fg_hiring.nowhere.slot || fg_hiring.refused ||
	    fg_workers.n + fg_hiring.pending >= target)
		return false;
	fg_hiring.pending++;
	*ended = fg_hiring.ended;
	if (*ended)
		fg_hiring.ended = (*ended)->next;
	return true;
}

static bool
take_missing(unsigned slots, struct fg_identity **ended)
{
	fg_spinlock_lock(&fg_hiring.lock);
	bool more = take_missing_locked(slots, ended);
	fg_spinlock_unlock(&fg_hiring.lock);
	return more;
}

/* The kernel often puts a new kernel thread on its maker's PU. It leaves both there for milliseconds, with other PUs
 * idle. So the maker lets a worker that has not run yet run now, up to its sleep. When the maker wakes the worker,
 * it keeps it off the maker's own PU. At that moment neither the program nor the worker itself is about to set the
 * worker's mask. If the worker has no other PU, it soon binds itself to one, or both must share. */
static void
let_begin(struct fg_worker *worker)
{
	if (!fg_load_relaxed(&fg_parts(worker)->hire.hired) && fg_carrier->yield)
		fg_carrier->yield();
	if (fg_load_acquire(&fg_parts(worker)->hire.hired) == WAITS && fg_carrier->yield) {
		fg_parts(worker)->hire.kept_off = fg_nearby_keep_off(worker->tid);
		if (!fg_parts(worker)->hire.kept_off.left)
			fg_store_relaxed(&fg_binding.crowded_until, fg_carrier->now() + NEAR_MAKER_NS);
	}
	if (fg_exchange_acq_rel(&fg_parts(worker)->hire.hired, 1) == WAITS)
		fg_carrier->wake(&fg_parts(worker)->hire.hired, 1);
}

/* The caller is inside before and after. It is outside while it makes a worker, because that may wait for a lock of
 * the C library. It is inside while it holds `fg_hiring.lock`, because no tick may preempt the holder. It has the lock
 * once for a worker, because all that start workers queue there: it takes the next one, below `slots`, and one for the
 * new worker to start. Until that runs, this one waits for it, and no more. */
static bool
start_missing(struct fg_identity *self, unsigned slots, struct fg_identity **ended)
{
	struct fg_identity *home = *ended;
	fg_leave(self);
	bool started = (home || (home = home_new())) && start_worker(home);
	fg_enter(self);
	struct fg_worker *worker = started ? home->worker : NULL;
	fg_spinlock_lock(&fg_hiring.lock);
	if (started)
		hire_locked(worker);
	else if (home)
		home_end_locked(home);
	fg_hiring.refused |= !started;
	assert(fg_hiring.pending > 0);
	fg_hiring.pending--;
	bool more = take_missing_locked(slots, ended);
	if (started)
		fg_parts(worker)->hire.starts = take_missing_locked(UINT_MAX, &fg_parts(worker)->hire.start_in);
	bool last = fg_hiring.pending == 0 || fg_workers.n >= fg_hiring.target;
	fg_add_release(&fg_hiring.ends, 1);
	fg_spinlock_unlock(&fg_hiring.lock);
	if (started)
		let_begin(worker);
	if (last)
		fg_carrier->wake(&fg_hiring.ends, UINT_MAX);
	return more;
}

void
fg_workers_help(struct fg_identity *self)
{
	struct fg_hire *hire = &fg_parts(self->worker)->hire;
	bool more = hire->starts;
	hire->starts = false;
	while (more)
		more = start_missing(self, UINT_MAX, &hire->start_in);
}

/* `asked`: fg_workers.asked must be at least so much. */
static void
ask(unsigned slots, unsigned asked)
{
	fg_spinlock_lock(&fg_hiring.lock);
	if (asked > fg_load_relaxed(&fg_workers.asked))
		fg_store_relaxed(&fg_workers.asked, asked);
	fg_hiring.refused = false;
	if (fg_hiring.target < slots) {
		fg_hiring.target = slots;
		if (fg_workers.all)
			deal_seats_locked(false);
	}
	fg_spinlock_unlock(&fg_hiring.lock);
}

/* The state of the fg_hiring. A caller waits on fg_hiring.ends for a change of the value `ends` while other
 * threads start workers. */
struct look {
	bool there, busy, refused;
	uint32_t ends;
};

static struct look
look(unsigned slots)
{
	fg_spinlock_lock(&fg_hiring.lock);
	struct look now = {fg_workers.n >= slots, fg_hiring.pending != 0, fg_hiring.refused,
			   fg_load_relaxed(&fg_hiring.ends)};
	fg_spinlock_unlock(&fg_hiring.lock);
	return now;
}

bool
fg_workers_need(struct fg_identity *self, unsigned slots)
{
	struct fg_identity *ended;
	assert(slots <= fg_exec_options.n_pus && fg_load_stable(&self->in_runtime));
	for (ask(slots, 0);;) {
		for (bool more = take_missing(slots, &ended); more;)
			more = start_missing(self, slots, &ended);
		struct look now = look(slots);
		if (now.there)
			return true;
		if (now.refused && !now.busy)
			return false;
		if (now.busy) {
			fg_leave(self);
			fg_carrier->wait(&fg_hiring.ends, now.ends, 0);
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
	struct fg_identity *ended;
	for (unsigned i = 0; i < FIRST && take_missing(UINT_MAX, &ended); i++)
		start_missing(self, 0, &ended);
	errno = saved;
}

void
fg_workers_sit(const struct fg_root *root)
{
	fg_spinlock_lock(&fg_hiring.lock);
	for (unsigned i = 0; i < root->slots; i++) {
		struct fg_worker *worker = fg_slot(root->dock.slot, i);
		assert(worker && root->pus[i] == root->dock.pu[i]);
		fg_store_relaxed(&worker->seat, fg_levels_leaf(root->pus[i]));
		fg_store_relaxed(&worker->seat_range, root->range[i]);
	}
	deal_seats_locked(true);
	fg_spinlock_unlock(&fg_hiring.lock);
}

void
fg_workers_quiet(void)
{
	fg_spinlock_lock(&fg_hiring.lock);
	fg_hiring.target = 0;
	fg_spinlock_unlock(&fg_hiring.lock);
	for (struct look now; (now = look(0)).busy;)
		fg_carrier->wait(&fg_hiring.ends, now.ends, 0);
}

/* Makes the worker as it was before its first region. worker->done stays, because phases go on. */
static void
worker_clear(struct fg_worker *worker)
{
	assert(fg_load_stable(&fg_parts(worker)->hire.over) && !worker->carries && !worker->wait.docked &&
	       worker->waiter == worker->home);
	assert(fg_load_stable(&worker->pinned.count) == 0 && worker->crew.lent == 0 && !fg_load_stable(&worker->head));
	fg_kernel_thread_gone(worker->home->tid, FG_GONE_STEPS);
	worker->tid = 0; /* the system may use the number again */
	fg_donor_pool_return(worker);
	fg_exec_above.forget(worker->home);
	fg_store_relaxed(&fg_parts(worker)->hire.over, 0);
	fg_store_relaxed(&worker->helps, 0);
	fg_parts(worker)->lend = (struct fg_lending){0};
	fg_store_relaxed(&worker->notice, 0);
	worker->wait.docked = NULL;
	worker->crew = (struct fg_crew){0};
	fg_parts(worker)->hire.home_root = NULL;
	worker->home->roams = false;
	worker->place = 0;
	fg_seat_forget(worker);
}

/* The next nested region asks for workers anew. */
void
fg_workers_clear(void)
{
	for (unsigned i = 1; i < fg_workers.n; i++)
		worker_clear(fg_workers.all[i]);
	fg_spinlock_lock(&fg_hiring.lock);
	for (unsigned i = 1; i < fg_workers.n; i++) {
		home_end_locked(fg_workers.all[i]->home);
		fg_store_relaxed(&fg_hiring.nowhere.slot[i], NULL);
	}
	if (fg_workers.n)
		fg_workers.n = 1;
	fg_spinlock_unlock(&fg_hiring.lock);
	fg_store_relaxed(&fg_workers.asked, 0);
}

void
fg_workers_after_fork(void)
{
	fg_workers = (struct fg_workers){0};
	memset(&fg_hiring, 0, sizeof fg_hiring);
	fg_spinlock_init(&fg_hiring.lock, FG_RANK_POOL);
}
