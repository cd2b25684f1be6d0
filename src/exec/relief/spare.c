/* Spare workers (floor: exec).
 *
 * A thread T is blocked in a system call of the program's, on kernel thread B. So B cannot serve its worker. All state
 * is the worker's, and none is B's. The monitor hands the worker to a spare kernel thread S. Later T comes back into
 * the runtime. There are two cases:
 *
 * - B is a root's. A root stays on its own kernel thread. So T claims the worker, and waits on B. S gives the worker
 *   back at its next switch. The claim counts as work that waits: where preemption is on, a tick makes a thread
 *   switch.
 *
 * - B is another kernel thread. T is queued for the kernel thread that carries the worker, and B becomes a spare.
 *
 * The protocol of T's word `away` is in hold.c. */
#define _GNU_SOURCE
#include "exec/relief/spare.h"

#include <limits.h>
#include <string.h>

#include "base/carrier.h"
#include "exec/body/binding.h"
#include "exec/body/kernel_thread.h"
#include "exec/body/seat.h"
#include "exec/body/stack_overflow.h"
#include "exec/body/switch.h"
#include "exec/donor/donor.h"
#include "exec/donor/donor_pool.h"
#include "exec/grant/ride.h"
#include "exec/ground/options.h"
#include "exec/loop/idle.h"
#include "exec/loop/loop.h"
#include "exec/loop/park.h"
#include "exec/loop/ready.h"
#include "exec/relief/hold.h"
#include "exec/relief/spare_list.h"
#include "exec/thread/root_worker.h"
#include "exec/thread/doorbell.h"
#include "exec/thread/worker_parts.h"
#include "platform/memory.h"
#include "platform/sandbox.h"
#include "platform/system_call.h"
#include "platform/thread.h"

enum { SERVE = 1, RESUME, END };
#define GONE (-1) /* instead of the number of a kernel thread */

static struct {
	struct fg_atomic_u32 made; /* number of spares, with those that are not in the list yet */
	struct fg_atomic_u32 wanted;
	struct fg_atomic_ptr
		shell; /* a spare structure with a base, for a kernel thread that was a worker's at first */
} spares;
/* Requests to the spawner. The monitor makes one, or a worker that boards or gives a rider a kernel thread, where it
 * found no spare or no shell, or took the last. None of them allocates (spawner.h). */
enum { WANT_SPARE = 1, WANT_SHELL = 2 };

static void *
spare_tls(int tid)
{
	struct fg_spare *spare = fg_spare_list_find(tid, NULL);
	return spare && spare->base->tid == tid ? spare->base->context.tls : NULL;
}

/* Runs in a signal handler. The kernel thread of a parked donor keeps its own thread pointer. */
void *
fg_spare_own_tls(void)
{
	struct fg_identity *self = fg_self();
	int tid = fg_thread_id();
	if (!self || self->tid == tid)
		return NULL;
	FG_EACH_WORKER (worker)
		if (worker->home->tid == tid)
			return worker->home->context.tls;
	return spare_tls(tid);
}

/* Runs on the first donor. While the kernel thread was idle, it had all signals blocked. */
static void
let_signals_in(void *unused)
{
	(void)unused;
	fg_mask_arrive(fg_self());
}

/* Does the same for each worker that shares the kernel thread with this one (grant/ride.h). */
static void
each_of_ride(struct fg_worker *worker, void (*does)(struct fg_worker *worker, const void *arg), const void *arg)
{
	struct fg_worker *one = worker;
	do
		does(one, arg);
	while ((one = fg_parts(one)->ride.next) && one != worker);
}

static void
set_tid(struct fg_worker *worker, const void *tid)
{
	worker->tid = *(const int *)tid;
}

/* Goes on with the thread of a worker that has ridden on another kernel thread. */
static void
resume(struct fg_spare *spare)
{
	struct fg_worker *worker = spare->worker;
	assert(fg_self() == spare->base && fg_load_stable(&worker->spare) == spare->base &&
	       !fg_load_stable(&worker->head));
	assert(worker->slot != 0 && worker->carries && !fg_load_stable(&worker->head));
	spare->base->worker = worker;
	worker->tid = spare->tid;
	fg_worker_switch(spare->base, fg_load_relaxed(&worker->current), let_signals_in, NULL);
}

/* Starts the search for work on a free donor, which the monitor has provided. Returns when the worker is given to a
 * root. It also returns when a thread that was blocked on this kernel thread has left it (fg_spare_come_back). */
static void
serve(struct fg_spare *spare)
{
	struct fg_identity *self = spare->base;
	struct fg_worker *worker = spare->worker;
	assert(fg_self() == self && fg_load_stable(&worker->current) == self && fg_load_stable(&worker->spare) == self);
	self->worker = worker;
	fg_worker_trace(FG_EVENT_relieve, spare->relieves, 0, 0);
	fg_sums_leave(spare->relieves->thread.sums, spare->relieves->thread.skip & 1);
	each_of_ride(worker, set_tid, &spare->tid);
	struct fg_identity *donor = fg_donor_pool_get(worker);
	donor->assignment = (struct fg_assignment){0};
	fg_worker_switch(self, donor, let_signals_in, NULL);
}

static void
root_has_back(struct fg_worker *worker, const void *unused)
{
	(void)unused;
	fg_store_release(&worker->spare, NULL);
	fg_unpark(&worker->spare, UINT_MAX);
}

static void
give_to_root(struct fg_worker *worker)
{
	struct fg_identity *claimant = fg_parts(worker)->relief.claimant;
	assert(fg_worker_head(worker)->home->root && fg_is_taken(claimant) && claimant->worker == worker);
	assert(fg_worker_is_own(worker) && !fg_load_stable(&worker->asleep));
	each_of_ride(worker, set_tid, &fg_parts(worker)->relief.claimant_tid);
	/* Its kernel thread is bound as it was when the first spare took over: perhaps not at all, after a vfork. */
	worker->place = fg_parts(worker)->bound.root_place;
	/* If PUs have come back since, it is bound anew when it next waits. */
	fg_parts(worker)->bound.returns = fg_parts(worker)->bound.root_returns;
	fg_store_relaxed(&worker->current, claimant);
	fg_store_relaxed(&fg_parts(worker)->relief.claimed, 0);
	each_of_ride(worker, root_has_back, NULL);
	fg_idle_pass_on(worker);
	fg_hold_give_back(claimant);
	fg_carrier->wake(&claimant->away, 1);
}

/* The kernel thread was a worker's at first, and another kernel thread has carried that worker to its end. The C
 * library waits on the stack of the worker's home. */
static _Noreturn void
end_home(const struct fg_spare *spare)
{
	struct fg_worker *worker = fg_load_acquire(&fg_all_workers.first);
	while (worker->home->tid != spare->tid)
		worker = worker->all_next;
	fg_kernel_thread_end_home(spare->base, worker, NULL, NULL);
}

/* The PUs that were noted may all be gone by now. */
static void
bind(const struct fg_spare *spare)
{
	if (fg_system_call_bind(0, sizeof spare->cpus, (const cpu_set_t *)&spare->cpus) != 0)
		fg_system_call_bind(0, sizeof fg_exec_options.cpus, (const cpu_set_t *)&fg_exec_options.cpus);
}

static _Noreturn void
spare_loop(struct fg_spare *spare)
{
	spare->base->signals.follows = FG_MASK_FRAME; /* all signals stay blocked while it runs */
	for (;;) {
		assert(fg_self() == spare->base && spare->tid == fg_thread_id() &&
		       fg_load_stable(&spare->base->in_runtime));
		fg_spare_list_put_idle(spare);
		while (!fg_load_acquire(&spare->job))
			fg_carrier->wait(&spare->job, 0, 0);
		uint32_t job = fg_load_relaxed(&spare->job);
		assert(job == END || ((job == SERVE || job == RESUME) && !spare->idle));
		if (job == END) {
			if (spare->base->kind == FG_DONOR)
				end_home(spare);
			fg_kernel_thread_exit();
		}
		fg_store_relaxed(&spare->job, 0);
		if (spare->bound && fg_sandbox_allows(FG_SANDBOX_PLACES))
			bind(spare);
		if (job == RESUME)
			resume(spare);
		else
			serve(spare);
		struct fg_worker *worker = spare->base->worker;
		if (fg_load_relaxed(&worker->spare) == spare->base &&
		    fg_load_acquire(&fg_parts(worker)->relief.claimed))
			give_to_root(worker);
	}
}

static void
spare_main(void *arg)
{
	struct fg_spare *spare = arg;
	spare->tid = spare->base->tid = fg_thread_id();
	fg_self_pointer = spare->base;
	spare->base->context.tls = fg_context_tls();
	fg_stack_overflow_kernel_thread();
	fg_spare_list_add(spare);
	spare_loop(spare);
}

/* The base of a kernel thread that was a worker's at first. */
static void
base_entry(void)
{
	spare_loop(fg_spare_list_find(0, fg_self()));
}

static void
spare_start(void)
{
	struct fg_spare *spare = fg_memory_zeroed(sizeof *spare);
	struct fg_identity *base = fg_memory_aligned(64, (sizeof *base + 63) & ~(size_t)63);
	if (spare && base) {
		memset(base, 0, sizeof *base);
		base->kind = FG_HOME;
		fg_own_store_relaxed(&base->in_runtime, 1);
		spare->base = base;
		fg_add_relaxed(&spares.made, 1);
		if (fg_carrier->start(spare_main, spare, "fg-spare") == 0)
			return;
		fg_sub_acq_rel(&spares.made, 1);
	}
	fg_memory_free(spare);
	fg_memory_free(base);
}

static struct fg_spare *
shell_new(void)
{
	struct fg_spare *new = fg_memory_zeroed(sizeof *new);
	if (new && !(new->base = fg_donor_new(base_entry))) {
		fg_memory_free(new);
		new = NULL;
	}
	return new;
}

void
fg_spare_make(void)
{
	uint32_t what = fg_exchange_acq_rel(&spares.wanted, 0);
	if (what & WANT_SPARE)
		spare_start();
	if (what & WANT_SHELL && !fg_load_acquire(&spares.shell))
		fg_store_release(&spares.shell, shell_new());
}

static void
want(uint32_t what)
{
	fg_or_acq_rel(&spares.wanted, what);
	fg_spawner_ask();
}

/* Makes sure that the worker's kernel thread can become a spare when its blocked thread comes back. */
static bool
base_ready(struct fg_worker *worker)
{
	if (fg_worker_head(worker)->home->root || fg_spare_list_find(worker->tid, NULL))
		return true;
	bool adopted;
	struct fg_spare *spare = fg_spare_list_adopt(worker->tid, &spares.shell, &adopted);
	if (adopted || !spare)
		want(WANT_SHELL);
	if (adopted) {
		assert(spare->base->kind == FG_DONOR && !spare->base->worker && !spare->idle);
		fg_add_relaxed(&spares.made, 1);
	}
	return spare;
}

/* The blocked thread may run on another worker before the spare gets a PU. Then a holder of this worker must not find
 * that thread in `current`. */
static void
current_is_spare(struct fg_worker *worker, const struct fg_spare *spare)
{
	fg_store_relaxed(&worker->current, spare->base);
}

static void
carried_by(struct fg_worker *worker, const void *base)
{
	if (!fg_load_relaxed(&worker->spare)) {
		fg_parts(worker)->bound.root_returns = fg_parts(worker)->bound.returns;
		fg_parts(worker)->bound.root_place = worker->place;
	}
	fg_store_relaxed(&worker->spare, (void *)(uintptr_t)base);
}

/* Between fg_hold_begin and fg_hold_take or fg_hold_end the caller owns all that is the worker's. It must not switch,
 * park or wait, because the thread waits. */
bool
fg_spare_take_over(struct fg_worker *worker, bool computes)
{
	if (!base_ready(worker))
		return false;
	struct fg_spare *spare = fg_spare_list_take_idle();
	if (!spare) {
		want(WANT_SPARE); /* there will be one at one of the monitor's next looks */
		return false;
	}
	struct fg_identity *blocked = fg_hold_begin(worker);
	bool useful = !computes || (blocked && fg_worker_others_wait(worker));
	if (blocked && (!useful || (!worker->donors.first && !fg_donor_pool_restock(worker)))) {
		fg_hold_end(blocked);
		blocked = NULL;
	}
	if (!blocked) {
		fg_spare_list_put_idle(spare);
		return false;
	}
	if (!fg_spare_list_has_idle())
		want(WANT_SPARE);
	if (fg_seat_on && fg_worker_head(worker)->home->root)
		fg_seat_end_of_root(fg_worker_head(worker));
	spare->worker = worker;
	spare->bound = fg_system_call_affinity(worker->tid, sizeof spare->cpus, (cpu_set_t *)&spare->cpus) == 0;
	spare->relieves = blocked;
	blocked->away_tid = worker->tid;
	current_is_spare(worker, spare);
	each_of_ride(worker, carried_by, spare->base);
	if (__builtin_expect(fg_clock_on, 0))
		fg_clock_out(blocked);
	fg_parts(worker)->statistics.spares++;
	assert(worker->carries && blocked->worker == worker);
	assert(fg_worker_valid(worker) && fg_ride_valid(worker) && fg_load_stable(&spare->job) == 0);
	fg_hold_take(blocked);
	fg_store_release(&spare->job, SERVE);
	fg_carrier->wake(&spare->job, 1);
	return true;
}

struct fg_identity *
fg_spare_base(struct fg_worker *worker)
{
	if (!base_ready(worker))
		return NULL;
	struct fg_spare *spare = fg_spare_list_find(worker->tid, NULL);
	return spare ? spare->base : NULL;
}

void *
fg_spare_reserve(void)
{
	struct fg_spare *spare = fg_spare_list_take_idle();
	if (!spare)
		want(WANT_SPARE);
	return spare;
}

void
fg_spare_resume(void *reserved, struct fg_worker *worker)
{
	struct fg_spare *spare = reserved;
	assert(!fg_parts(worker)->ride.next && !fg_load_stable(&worker->head) && worker->slot != 0 &&
	       !fg_load_stable(&spare->job));
	spare->worker = worker;
	spare->bound = fg_seat_mask(&spare->cpus); /* the caller may have a seat, and the rider takes its own */
	if (spare->bound)
		fg_binding_lead(spare->tid, worker, &spare->cpus);
	fg_seat_forget(worker);
	fg_store_relaxed(&worker->spare, spare->base);
	fg_sub_acq_rel(&fg_rides.count, 1);
	fg_store_release(&spare->job, RESUME);
	fg_carrier->wake(&spare->job, 1);
}

static void
claim_for_root(struct fg_identity *self, int tid)
{
	struct fg_worker *worker = self->worker;
	assert(!fg_load_stable(&fg_parts(worker)->relief.claimed) && fg_worker_head(worker)->home->root);
	fg_parts(worker)->relief.claimant = self;
	fg_parts(worker)->relief.claimant_tid = tid;
	fg_store_release(&fg_parts(worker)->relief.claimed, 1);
	fg_wake_worker(worker);
	fg_monitor_poke();
	while (fg_load_acquire(&self->away) == FG_TAKEN)
		fg_carrier->wait(&self->away, FG_TAKEN, 0);
}

static void
requeue(void *arg)
{
	struct fg_identity *thread = arg;
	fg_hold_give_back(thread);
	fg_worker_ready(thread);
}

void
fg_spare_come_back(struct fg_identity *self)
{
	while (!fg_hold_none(self) && fg_load_acquire(&self->away) != FG_TAKEN)
		fg_carrier->wait(&self->away, FG_HELD, 0);
	if (fg_load_relaxed(&self->away) != FG_TAKEN)
		return;
	int tid = fg_thread_id();
	struct fg_spare *spare = fg_spare_list_find(tid, NULL);
	assert(self == fg_self() && self->away_tid == tid && fg_load_stable(&self->in_runtime));
	if (!spare) {
		claim_for_root(self, tid);
		fg_mask_return(self);
		if (__builtin_expect(fg_clock_on, 0))
			fg_clock_in(self);
		fg_worker_trace(FG_EVENT_resume, self, 0, 0);
		fg_sums_resume(self->thread.sums);
		return;
	}
	if (self->at_home)
		fg_glibc_leave_home(self);
	spare->base->worker = self->worker;
	fg_mask_part(self);
	assert(fg_lock_order_switch());
	fg_context_switch(&self->context, &spare->base->context, requeue, self);
}

static bool
spared(void *worker)
{
	return fg_load_acquire(&((struct fg_worker *)worker)->spare) != NULL;
}

void
fg_spare_settle(struct fg_identity *self)
{
	assert(self == fg_self() && self->root && self->worker == fg_root_worker(self->root));
	while (spared(self->worker))
		fg_park(&self->worker->spare, spared, self->worker);
}

/* The spare is idle, or about to be. Otherwise it is the kernel thread of a worker that no spare has relieved, and it
 * ends with the worker. */
static bool
spare_end(struct fg_spare *spare)
{
	for (unsigned i = 0; i < FG_GONE_STEPS && !fg_spare_list_is_idle(spare); i++)
		if (fg_kernel_thread_gone(spare->tid, 1))
			return true;
	if (!fg_spare_list_is_idle(spare))
		return false;
	fg_store_release(&spare->job, END);
	fg_carrier->wake(&spare->job, 1);
	return fg_kernel_thread_gone(spare->tid, FG_GONE_STEPS);
}

struct fg_identity *
fg_spare_end_all(struct fg_identity *list)
{
	static const struct fg_identity nobody;
	while (fg_spare_list_count() < fg_load_relaxed(&spares.made))
		fg_thread_yield();
	for (struct fg_spare *spare = fg_spare_list_all(); spare; spare = spare->all_next) {
		if (spare->tid == GONE || !spare_end(spare))
			continue;
		struct fg_identity *base = spare->base;
		spare->tid = GONE;
		spare->base = (struct fg_identity *)&nobody;
		if (base->kind != FG_DONOR) {
			fg_memory_free(base);
			continue;
		}
		base->next = list;
		list = base;
	}
	fg_spare_list_forget_idle();
	struct fg_spare *unused = fg_exchange_acquire(&spares.shell, NULL);
	if (unused) {
		unused->base->next = list;
		list = unused->base;
		fg_memory_free(unused);
	}
	return list;
}

void
fg_spare_after_fork(void)
{
	fg_spare_list_after_fork();
	fg_store_relaxed(&spares.made, 0);
	fg_store_relaxed(&spares.wanted, 0);
	fg_store_relaxed(&spares.shell, NULL);
}
