/* Dock: fork, barrier and join of flat teams (floor: exec). Each root has a dock. pool/berths.c posts workers there.
 *
 * Phases. Every barrier is a phase, and so is the end of a region. Phases have numbers, which run through all regions
 * of a root, and through all regions of a worker (berths.c). Each worker stores the last phase that its crew has
 * completed on its own line, and reads the lines of the others (in a large team: summary.h). Only the worker writes its
 * line. There is no central counter, and nothing is reset. A release store of the line follows all that the crew
 * did, in program order. An acquire load of it precedes all that the reader does next. So a barrier orders the team.
 *
 * Even and odd phases have a line each. The other workers may still read the line of the last phase. Meanwhile the
 * worker fetches the other line for writing (phase_begin). So its next store need not wait until the copies of the
 * other workers are dropped.
 *
 * Fork. The line of the fork holds body, job and layout. The epoch is stored last, with release:
 *
 *     epoch = first phase of the region << 16 | number of workers that take part
 *
 * A worker that takes part reads the line after its acquire load of the epoch. The primary thread does not write the
 * line again before the last phase of that worker. A worker that does not take part reads the epoch only.
 *
 * In a large team each group has a copy of the line (forks.h).
 *
 * Sleep. A worker that has stored an epoch or a phase makes a full fence. Then it looks for sleepers (idle.c has the
 * proof).
 *
 * End of the workers (shutdown.c). All workers are posted to the dock of those without a root. The end is a fork there
 * without a body. Each thread that is docked ends its worker there.
 *
 * The owner of a dock is its root while a region is in flight. The compare-and-swap of the next owner acquires all that
 * the last one released. Another thread owns the dock for a moment when it moves the workers elsewhere.
 *
 * Only the worker's own threads, or a thread that holds one, touch worker->crew (loop/crew.h has its invariant).
 */
#include "exec/flat/dock.h"

#include <stddef.h>

#include "exec/body/alternate.h"
#include "exec/body/kernel_thread.h"
#include "exec/body/look.h"
#include "exec/body/switch.h"
#include "exec/flat/dock_line.h"
#include "exec/flat/forks.h"
#include "exec/flat/help_look.h"
#include "exec/flat/lend.h"
#include "exec/flat/post.h"
#include "exec/flat/summary.h"
#include "exec/flat/crews.h"
#include "exec/grant/ride.h"
#include "exec/ground/above.h"
#include "exec/loop/crew.h"
#include "exec/loop/look.h"
#include "exec/loop/loop.h"
#include "exec/move/transfer.h"
#include "exec/pool/workers.h"
#include "exec/relief/spare.h"
#include "exec/thread/doorbell.h"
#include "exec/thread/levels.h"
#include "exec/thread/root_worker.h"
#include "exec/thread/worker.h"
#include "exec/thread/worker_parts.h"
#include "platform/membarrier.h"

/* A condition of a docked thread's waits, as fg_dock_crossed. */
static bool
crossed_or_called(struct fg_worker *worker)
{
	return fg_dock_crossed(worker) || fg_help_calls(worker);
}

static inline void
wait_crossed(struct fg_identity *self, unsigned from, unsigned slots)
{
	struct fg_worker *worker = self->worker;
	worker->flat.cross_next = from;
	worker->flat.cross_end = slots;
	if (!fg_wait_briefly(worker, fg_dock_crossed))
		fg_help_wait(self, fg_dock_crossed, crossed_or_called);
}

/* The caller need not wait, or no more. A worker that never waits learns here of another seat, of an order to ride,
 * and of the end of a slice. Another kernel thread may carry the caller afterwards. */
static inline void
look_between(struct fg_identity *self)
{
	if (__builtin_expect(fg_load_relaxed(&self->worker->notice) != 0, 0)) {
		if (fg_seat_changes(self->worker)) {
			fg_seat_change(self->worker);
			fg_ride_look(self);
		}
		fg_worker_look_slow(self);
	}
}

static inline void
phase_begin(struct fg_worker *worker, struct fg_identity *first)
{
	struct fg_crew *crew = &worker->crew;
	if (__builtin_expect(fg_load_relaxed(&fg_parts(worker)->lend.incoming) != NULL, 0))
		fg_transfer_join(worker, first);
	crew->arrived = 0;
	crew->idlers = NULL;
	fg_store_relaxed(&crew->waiting, crew->count - 1);
	crew->next = first->in_crew.next;
	assert(fg_dock_phase_begun_valid(worker, first));
	if (crew->count > 1)
		fg_worker_renew_tick(worker);
	fg_prefetch_write(fg_done_line(worker, crew->phase + 1));
}

static struct fg_root *
root_of(const struct fg_dock *dock)
{
	return (struct fg_root *)((char *)dock - offsetof(struct fg_root, dock));
}

/* A fork without a body. The worker ends. Or its anchor waits from now on, and the caller is a member that runs next in
 * another crew. Nothing but the anchor's line says that the caller is saved. */
static bool
no_region(struct fg_identity *self, const struct fg_fork *fork)
{
	struct fg_worker *worker = self->worker;
	if (!fork->releases)
		fg_kernel_thread_end_worker(self);
	worker->crew.phase = worker->crew.region;
	worker->crew.layout = 0;
	if (self == worker->waiter)
		return false;
	fg_worker_switch(self, worker->waiter, NULL, NULL);
	return true;
}

/* The caller waits docked on its worker, and has seen this fork, in which its worker takes part. True: the caller must
 * run its member now. False: the caller was suspended meanwhile, and must wait for the next region. */
static bool
dock_enter(struct fg_identity *self, const struct fg_fork *fork)
{
	look_between(self);
	struct fg_worker *worker = self->worker;
	struct fg_crew *crew = &worker->crew;
	assert(fg_dock_forked_valid(worker));
	worker->flat.epoch = fg_load_relaxed(&fork->epoch);
	crew->region = worker->flat.epoch >> 16;
	crew->phase = crew->region - 1;
	if (__builtin_expect(!fork->body, 0))
		return no_region(self, fork);
	struct fg_identity *first = crew->home_waits ? crew->first : self;
	uint64_t layout = fg_load_relaxed(&fork->layout);
	if (crew->layout != layout) {
		fg_crew_follow(worker, root_of(worker->flat.dock), layout, fork->seating);
		first = fg_crew_has(worker, self) ? self : crew->first;
	}
	phase_begin(worker, first);
	if (first == self)
		return true;
	fg_worker_switch(self, first, NULL, NULL);
	return !(self->worker->crew.home_waits && self == self->worker->waiter);
}

static inline const struct fg_fork *
next_fork(struct fg_identity *self, struct fg_worker *worker)
{
	if (__builtin_expect(worker->crew.grouped, 0))
		return fg_forks_wait_copy(self);
	if (fg_post_forked(worker) || fg_wait_briefly(worker, fg_post_forked))
		return &worker->flat.dock->fork;
	return fg_forks_wait(self, true);
}

/* The caller waits until it must run a member. It may wait through several regions of its worker. */
static void
dock_wait(struct fg_identity *self)
{
	const struct fg_fork *fork;
	do {
		struct fg_worker *worker = self->worker, *primary = fg_root_worker(worker->crew.root);
		fg_store_release(fg_done_line(worker, worker->crew.phase), worker->crew.phase);
		fg_fence_light();
		if (__builtin_expect(fg_load_relaxed(&fg_idle.sleepers) != 0, 0))
			fg_wake_worker(primary);
		fork = next_fork(self, worker);
	} while (!dock_enter(self, fork));
}

/* The caller has arrived, and others of its crew have not. Now they go on. */
static void
crew_step(struct fg_identity *self, struct fg_worker *worker)
{
	struct fg_crew *crew = &worker->crew;
	fg_crew_idle(crew, self);
	if (__builtin_expect(fg_load_relaxed(&fg_parts(worker)->lend.wanted) != 0, 0) && worker->donors.first)
		fg_lend_answer(worker, 0);
	unsigned waiting = fg_load_relaxed(&crew->waiting);
	if (waiting) {
		struct fg_identity *next = crew->next;
		assert(next->crew_of == worker && !next->in_crew.lent);
		crew->next = next->in_crew.next;
		fg_store_relaxed(&crew->waiting, waiting - 1);
		fg_worker_switch(self, next, NULL, NULL);
	} else
		fg_worker_leave(self, NULL, NULL);
}

/* True: all of the crew have arrived. parts: members may go to other crews now (transfer.c). */
static inline bool
crew_arrive(struct fg_identity *self, struct fg_crew *crew, bool parts)
{
	++crew->arrived;
	assert(fg_crew_valid(self->worker) && self->crew_of == self->worker);
	if (crew->arrived + crew->lent < crew->count)
		return false;
	if (__builtin_expect(crew->lent != 0, 0))
		fg_lend_collect(self);
	if (parts && __builtin_expect(fg_load_relaxed(&fg_parts(self->worker)->lend.parts) != 0, 0))
		fg_transfer_part(self);
	assert(fg_dock_phase_over_valid(self->worker));
	return true;
}

/* The caller is about to arrive while others of its crew are blocked elsewhere. Or it was called, and is about to come
 * back to a crew that is led. Then the caller will leave its worker to other work. (The leader may be blocked in a
 * task.) */
static inline bool
will_leave(const struct fg_identity *self)
{
	const struct fg_crew *crew = &self->worker->crew;
	return fg_load_relaxed(&crew->waiting) == 0 && (crew->led || crew->arrived + crew->lent + 1 < crew->count);
}

/* To leave, the caller needs a free donor or a ready thread. While it gives way, the others may arrive, so that it is
 * the last. */
static inline void
arrive_prepare(struct fg_identity *self)
{
	while (__builtin_expect(will_leave(self), 0) && !fg_worker_can_leave(self))
		fg_worker_give_way(self);
}

static inline struct fg_worker *
arrive_once(struct fg_identity *self, bool parts)
{
	struct fg_worker *worker = self->worker;
	if (__builtin_expect(self->in_crew.lent, 0))
		fg_lend_return(self);
	else if (crew_arrive(self, &worker->crew, parts))
		return worker;
	else
		crew_step(self, worker);
	return NULL;
}

/* The caller had arrived, and was resumed to run tasks. */
static struct fg_worker *
arrive_again(struct fg_identity *self, bool parts)
{
	struct fg_worker *last = NULL;
	while (self->in_crew.recalled) {
		fg_help_run(self);
		arrive_prepare(self);
		self->in_crew.recalled = false;
		struct fg_worker *worker = self->worker;
		if (fg_crew_back(&worker->crew, self))
			crew_step(self, worker);
		else
			last = arrive_once(self, parts);
	}
	return last;
}

/* Returns the worker if the caller is the last of that worker's crew to arrive. NULL: the phase is over. */
static inline struct fg_worker *
arrive(struct fg_identity *self, bool parts)
{
	arrive_prepare(self);
	struct fg_worker *last = arrive_once(self, parts);
	return __builtin_expect(self->in_crew.recalled, 0) ? arrive_again(self, parts) : last;
}

struct fg_worker *
fg_dock_arrive(struct fg_identity *self)
{
	return arrive(self, false);
}

void
fg_dock_go_on(struct fg_identity *self)
{
	look_between(self);
	phase_begin(self->worker, self);
}

void
fg_dock_barrier(struct fg_identity *self)
{
	struct fg_worker *worker = arrive(self, true);
	if (!worker)
		return;
	struct fg_crew *crew = &worker->crew;
	uint64_t phase = ++crew->phase;
	unsigned slots = crew->slots;
	fg_store_release(fg_done_line(worker, phase), phase);
	fg_dock_wake_slots(crew->team, 0, slots);
	/* The others arrive about now. To read their lines too early would delay their stores: with two pauses a
	 * barrier of two takes 15% less than with one, where a line there and back takes 115 ns. */
	fg_ride_pause(worker, false);
	fg_ride_pause(worker, false);
	crew->crossing = true;
	if (__builtin_expect(crew->grouped, 0))
		fg_summary_wait(self, phase, false);
	else
		wait_crossed(self, 0, slots);
	crew->crossing = false;
	look_between(self);
	phase_begin(self->worker, self);
}

/* The body of the caller's member is over. Returns when the caller must run a member in another region. */
static void
member_end(struct fg_identity *self)
{
	struct fg_worker *worker = arrive(self, true);
	if (worker) {
		struct fg_crew *crew = &worker->crew;
		crew->phase++;
		crew->home_called = worker->slot && (crew->home_waits || fg_crew_is_transferred(worker, self));
		if (worker->slot && !crew->home_called) {
			dock_wait(self);
			return;
		}
		fg_crew_idle(crew, self);
		fg_worker_switch(self, worker->waiter, NULL, NULL);
		if (__builtin_expect(self->in_crew.recalled, 0))
			arrive_again(self, true);
	}
	/* The home of a worker may have been a member of another layout. Then it was resumed only to wait. */
	worker = self->worker;
	if (self == worker->waiter && worker->crew.home_called) {
		worker->crew.home_called = false;
		dock_wait(self);
	}
}

/* The loop of a docked identity, as long as it is a member of teams of some root. */
static void
docked_loop(struct fg_identity *self)
{
	while (self->member) {
		fg_crew_run(self, &self->crew_of->crew);
		member_end(self);
	}
	fg_alternate_forget(self);
	fg_worker_carry();
}

void
fg_dock_donor(void)
{
	docked_loop(fg_self());
}

void
fg_dock_anchor(void)
{
	for (;;)
		dock_wait(fg_self());
}

void
fg_dock_worker(void *arg)
{
	struct fg_worker *worker = arg;
	struct fg_identity *self = worker->home;
	fg_parts(worker)->hire.home_top = (void *)((uintptr_t)__builtin_frame_address(0) & ~(uintptr_t)15);
	fg_workers_enter(worker);
	fg_kernel_thread_begin(worker);
	fg_seat_keep(worker);
	fg_workers_help(self);
	if (!dock_enter(self, fg_forks_wait(self, false)))
		dock_wait(self);
	for (;;) {
		fg_crew_run(self, &self->worker->crew);
		member_end(self);
	}
}

static void
see_to(struct fg_identity *self)
{
	fg_monitor_want(self);
	if (fg_load_relaxed(&fg_wanted) & FG_WANTED_REPAIR) {
		fg_and_acq_rel(&fg_wanted, (uint32_t)~FG_WANTED_REPAIR);
		fg_exec_above.repair();
	}
}

void
fg_dock_fork(struct fg_identity *self, void (*body)(void *job, unsigned member), void *job, void (*fn)(void *data),
	     void *data)
{
	struct fg_root *root = self->root;
	struct fg_worker *worker = fg_root_worker(root);
	struct fg_crew *crew = &worker->crew;
	/* This must come before any state of the region: to start the monitor, or to read the levels, the caller
	 * leaves the runtime, and may wait in the program's malloc. */
	assert(fg_dock_fork_valid(root));
	if (root->size > root->slots || fg_load_relaxed(&fg_wanted))
		see_to(self);
	if (fg_seat_on && fg_seat_for_roots() && __builtin_expect(fg_seat_is_due(worker), 0)) {
		fg_levels_deepen();
		fg_monitor_want(self);
	}
	struct fg_dock *dock = &root->dock;
	if (crew->layout != root->layout) {
		fg_crew_follow(worker, root, root->layout, root->seating);
		fg_store_relaxed(&dock->fork.layout, root->layout);
		dock->fork.seating = (uint16_t)root->seating;
	}
	fg_seat_look(worker);
	phase_begin(worker, self);
	fg_worker_become(worker, FG_WORKER_CARRIES);
	dock->fork.body = body;
	dock->fork.job = job;
	dock->fork.fn = fn;
	dock->fork.data = data;
	fg_float_get_modes(&dock->fork.modes);
	crew->region = dock->base + 1;
	unsigned slots = root->slots;
	uint64_t epoch = crew->region << 16 | slots;
	if (__builtin_expect(root->copies != 0, 0)) {
		fg_forks_tell_copies(root, epoch);
	} else {
		fg_store_release(&dock->fork.epoch, epoch);
		fg_dock_wake_slots(dock->slot, 1, slots);
	}
	if (fg_seat_on && __builtin_expect(fg_seat_is_due(worker), 0)) {
		fg_seat_take_root(worker);
		fg_binding_join_set(worker);
	}
	if (root->size > slots) {
		/* The monitor may have fallen asleep since it was wanted, before it could see that the worker carries.
		 * It makes a heavy fence then, and looks again. */
		fg_fence_light();
		fg_monitor_poke();
	}
	fg_ride_region();
}

void
fg_dock_join(struct fg_identity *self)
{
	struct fg_worker *worker = self->worker;
	struct fg_crew *crew = &worker->crew;
	struct fg_dock *dock = &self->root->dock;
	if (arrive(self, true))
		crew->phase++;
	if (__builtin_expect(crew->grouped, 0))
		fg_summary_wait(self, crew->phase, true);
	else
		wait_crossed(self, 1, crew->slots);
	if (__builtin_expect(fg_load_relaxed(&dock->fork.help_word) != 0, 0))
		fg_help_close(self);
	if (__builtin_expect(fg_load_relaxed(&worker->spare) != NULL, 0))
		fg_spare_settle(self);
	if (__builtin_expect(fg_worker_rides(worker), 0))
		fg_ride_put_off(worker);
	assert(fg_dock_join_valid(self->root));
	fg_worker_become(worker, FG_WORKER_OUTSIDE);
	dock->base = crew->phase;
	fg_store_release(&dock->owner, NULL);
}

void
fg_dock_wake_all(void)
{
	fg_fence_light();
	for (unsigned i = 1; i < fg_workers.n; i++)
		fg_wake_worker(fg_workers.all[i]);
}
