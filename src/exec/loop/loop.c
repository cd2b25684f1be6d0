/* The one loop: a worker goes from one thing to the next (floor: exec): see loop.h. search.c finds the next one, and
 * `go` switches to it. A thread leaves or yields, it waits, or a free donor carries the worker on: these three search.
 *
 * A thread that yields or is preempted lets all others go first in turn. These include unborn members, and members of
 * its crew that must run tasks. Otherwise two threads could keep each other running. Then the member that they wait for
 * would never run, or never be born.
 *
 * Slices. A thread that runs members of one small region after another switches all the time, but always to its own
 * members. So do two threads that wake each other. Neither asks for the other things that are ready here. So the
 * monitor sets a notice once something has waited for a slice. The next switch point takes it, and makes a turn of all
 * kinds there: where a thread leaves or looks for the next one (turn_now), where a nested or docked thread goes on
 * without a search, after a region of one member, after a task (fg_worker_look), or at a tick. The kind that goes first
 * changes from slice to slice: members that have not begun, of the oldest bubble, the threads that are pinned here, the
 * runqueues, those from the machine's down. The docked thread goes first in every other. So each kind comes first after
 * a few slices, whatever else is ready. */
#include "exec/loop/loop.h"

#include "base/log.h"
#include "exec/body/look.h"
#include "exec/body/switch.h"
#include "exec/donor/donor.h"
#include "exec/donor/donor_pool.h"
#include "exec/grant/ride.h"
#include "exec/ground/hooks.h"
#include "exec/loop/crew.h"
#include "exec/loop/ready.h"
#include "exec/loop/search.h"
#include "exec/loop/starve.h"
#include "exec/loop/thief.h"
#include "exec/thread/grain.h"
#include "exec/thread/doorbell.h"
#include "exec/thread/worker.h"
#include "exec/thread/worker_parts.h"
#include "sched/policy.h"

/* The caller's worker turns to what was found. Without a thread, a free donor takes over: it runs the member, or looks
 * for the next thing itself. */
static void
go(struct fg_identity *self, const struct fg_found *found, void (*callback)(void *), void *arg)
{
	struct fg_worker *worker = self->worker;
	struct fg_identity *next = found->thread;
	if (!next) {
		next = fg_donor_pool_get(worker);
		next->assignment = fg_found_assignment(worker, found);
	}
	fg_worker_switch(self, next, callback, arg);
}

/* The docked thread goes on waiting. */
static bool
go_back(struct fg_worker *worker, struct fg_found *found)
{
	if (!worker->wait.docked)
		return false;
	found->thread = fg_search_docked(worker);
	fg_worker_bind(worker, found->thread);
	return true;
}

/* `stays`: the callback makes the caller ready again. False: there is no thread to switch to, and no donor that could
 * look for one. */
static bool
try_leave(struct fg_identity *self, struct fg_turn turn, bool stays, void (*callback)(void *), void *arg)
{
	struct fg_worker *worker = self->worker;
	struct fg_found found;
	assert(self == fg_self() && worker->carries && fg_worker_valid(worker));
	fg_seat_look(worker);
	if (__builtin_expect(!worker->donors.first, 0))
		fg_donor_pool_restock(worker);
	if (__builtin_expect(fg_load_relaxed(&fg_parts(worker)->lend.wanted) != 0, 0) &&
	    (worker->donors.first || stays))
		fg_exec_hooks.lend(worker, stays);
	if (!fg_search(worker, turn, worker->donors.first != NULL, &found) &&
	    __builtin_expect(!worker->donors.first, 0) && (stays || !go_back(worker, &found)))
		return false;
	fg_parts(worker)->statistics.suspends++;
	fg_grain_drop(self);
	if (__builtin_expect(fg_policies.wants & FG_WANTS_BLOCKED, 0) && !stays)
		fg_policy_blocked(&self->entity, fg_worker_leaf(worker));
	go(self, &found, callback, arg);
	return true;
}

#define SLICES_UNBORN 3

/* Takes the notice that a slice is over. */
static bool
slice_take(struct fg_worker *worker)
{
	return fg_worker_slice_is_over(worker) &&
	       fg_and_acq_rel(&worker->notice, (uint32_t)~FG_NOTICE_SLICE) & FG_NOTICE_SLICE;
}

/* A thread that gives way goes behind all others, on its worker or on the runqueue. Between two turns of the threads
 * that are pinned here, the runqueues have some turns, so that each thread has its share:
 *
 *     turns of the runqueues = ready threads there / threads pinned here, rounded up
 *
 * Every other turn goes to the unborn members, if there are any; after a slice two of three do, because they have
 * waited for longer than the threads that have had a slice. Every other turn of the runqueues begins at the machine's.
 * Only the turns of the runqueues count for that: else all of them could begin there, and the threads on the PU's own
 * would starve. */
static struct fg_turn
next_turn(struct fg_worker *worker)
{
	bool over = slice_take(worker);
	struct fg_turn_notes *notes = &fg_parts(worker)->turn;
	notes->docked ^= over;
	notes->slices += over;
	notes->unborn = over ? notes->slices % SLICES_UNBORN : !notes->unborn;
	notes->leaves++;
	struct fg_turn turn = {.early = notes->unborn, .called = true, .docked_last = over && notes->docked};
	if (notes->unborn && fg_search_unborn(worker)) {
		notes->down ^= over;
		turn.unborn = true;
		turn.oldest = over;
		turn.down = over && notes->down;
		return turn;
	}
	uint32_t pinned = fg_load_relaxed(&worker->pinned.count);
	turn.queue = notes->queue != 0;
	if (turn.queue || !pinned)
		notes->above = !notes->above;
	if (turn.queue)
		notes->queue--;
	else if (pinned)
		notes->queue = (fg_worker_n_ready(worker) + pinned - 1) / pinned;
	turn.above = notes->above;
	return turn;
}

/* The turn of a thread that waits, or of a donor that looks for the next thread, unless a slice is over. */
static struct fg_turn
turn_now(struct fg_worker *worker, struct fg_turn usual)
{
	return fg_worker_slice_is_over(worker) ? next_turn(worker) : usual;
}

/* Threads that meet barriers again and again are always ready before a slice is over. So that unborn members and
 * threads on the levels above have their turn too, they go first in every 16th. */
#define SELDOM 16

bool
fg_worker_try_leave(struct fg_identity *self, bool locked, void (*callback)(void *), void *arg)
{
	bool seldom = ++fg_parts(self->worker)->turn.leaves % SELDOM == 0;
	struct fg_turn turn =
		turn_now(self->worker, (struct fg_turn){.unborn = seldom, .early = seldom, .above = seldom});
	if (locked) /* to call a member is to look at its team, which may unpark a thread */
		turn.early = turn.called = false;
	return try_leave(self, turn, false, callback, arg);
}

void
fg_worker_leave(struct fg_identity *self, void (*callback)(void *), void *arg)
{
	if (!fg_worker_try_leave(self, false, callback, arg))
		fg_fatal("Thread creation failed: no free identity left");
}

/* Only the owner takes these, and the caller is the owner. So they stay. */
static bool
has_thread_for_sure(struct fg_worker *worker)
{
	return fg_load_relaxed(&worker->pinned.count) != 0 || fg_load_relaxed(&worker->crew.waiting) != 0 ||
	       worker->wait.docked;
}

bool
fg_worker_can_leave_slow(struct fg_identity *self)
{
	return has_thread_for_sure(self->worker) || fg_donor_reserve(self);
}

static void
ready_callback(void *thread)
{
	fg_worker_ready(thread);
}

bool
fg_worker_others_wait(struct fg_worker *worker)
{
	return fg_worker_has_work(worker) || fg_search_docked_is_ready(worker) || fg_exec_hooks.called_here(worker) ||
	       (fg_ride_concerns(worker) && fg_ride_waits(worker));
}

bool
fg_worker_must_leave(struct fg_identity *self)
{
	fg_seat_look(self->worker);
	return fg_worker_others_wait(self->worker) || fg_load_relaxed(&self->entity.sent) != NULL;
}

/* Of this many yields of a worker, one goes to the kernel and the others to the worker's own threads. The awaited
 * member may be on another kernel thread that has no PU. */
#define OWN_TURNS 32

bool
fg_worker_yields_here(struct fg_identity *self)
{
	struct fg_worker *worker = self->worker;
	return worker->carries && ++fg_parts(worker)->turn.yields % OWN_TURNS && fg_worker_must_leave(self);
}

/* False: the others need a donor, and there is none. */
static bool
gives_way(struct fg_identity *self)
{
	struct fg_worker *worker = self->worker;
	if (fg_ride_concerns(worker) && fg_ride_gives_way(self))
		return true;
	return !fg_worker_must_leave(self) || try_leave(self, next_turn(worker), true, ready_callback, self);
}

void
fg_worker_yield(struct fg_identity *self)
{
	if (!gives_way(self) && fg_donor_reserve(self) && fg_worker_must_leave(self))
		try_leave(self, next_turn(self->worker), true, ready_callback, self);
}

bool
fg_worker_yields(struct fg_identity *self)
{
	if (gives_way(self))
		return true;
	if (fg_load_relaxed(&fg_doorbell.monitor_tid))
		fg_spawner_ask(); /* the monitor starts it */
	else
		fg_donor_reserve(self);
	return false;
}

void
fg_worker_look_slow(struct fg_identity *self)
{
	fg_seat_look(self->worker);
	if (!fg_worker_slice_is_over(self->worker))
		return;
	if (fg_worker_others_wait(self->worker))
		fg_worker_yield(self);
	else
		slice_take(self->worker);
}

/* The next context takes the signal mask before the preempted thread becomes ready. */
static void
preempted_callback(void *thread)
{
	fg_mask_arrive(fg_self());
	fg_worker_ready(thread);
}

void
fg_worker_preempt(struct fg_identity *self)
{
	struct fg_worker *worker = self->worker;
	if (!fg_worker_must_leave(self) || (fg_ride_concerns(worker) && fg_ride_gives_way(self)))
		return;
	if (!worker->donors.first && !fg_donor_pool_restock(worker))
		fg_spawner_ask();
	fg_parts(worker)->statistics.preemptions++;
	fg_worker_trace(FG_EVENT_preempt, self, 0, 0);
	fg_sums_preempt(self->thread.sums);
	if (!try_leave(self, next_turn(worker), true, preempted_callback, self) && fg_worker_rides(worker))
		fg_ride_turn(self);
}

void
fg_worker_give_way(struct fg_identity *self)
{
	if (!try_leave(self, next_turn(self->worker), true, ready_callback, self) && !fg_ride_turn(self))
		fg_starve(self->worker);
}

void
fg_worker_prepare_to_leave(struct fg_identity *self)
{
	while (!self->worker->donors.first && !fg_worker_can_leave_slow(self))
		fg_worker_give_way(self);
}

static void
patience_turn(struct fg_patience *patience, struct fg_thief *thief)
{
	bool spins = fg_patience_spin(patience, thief->worker);
	if (__builtin_expect(fg_policies.wants & FG_WANTS_REDISTRIBUTE, 0) && thief->worker->carries)
		fg_idle_mark_turn(&thief->idling, fg_worker_leaf(thief->worker), spins);
	if (spins)
		return;
	if (fg_idle_sleep(thief->worker, thief->ready)) {
		thief->woken = fg_parts(thief->worker)->help.woken = true;
		thief->left = 1;
	}
	*patience = (struct fg_patience){.again = true};
}

/* Something that the worker can do while the caller waits. Nothing in `found`: a donor finds it. */
static bool
look_meanwhile(struct fg_identity *self, struct fg_thief *thief, struct fg_found *found)
{
	struct fg_worker *worker = self->worker;
	*found = (struct fg_found){.claim = {.only = fg_worker_only(worker)}};
	if (fg_worker_has_work(worker) || (found->stolen = fg_thief_look(thief, &found->claim)))
		return true;
	found->thread = fg_exec_hooks.take(worker, self);
	if (found->thread)
		fg_worker_bind(worker, found->thread);
	return found->thread;
}

/* True: the worker can go on with what was found, or with a thread that is ready here, or it has a donor. */
static bool
can_go(struct fg_identity *self, struct fg_found *found)
{
	return found->thread || found->stolen || self->worker->donors.first || fg_donor_reserve(self) ||
	       fg_search(self->worker, (struct fg_turn){0}, false, found);
}

/* A worker has at most one docked thread. Only this worker's next contexts take it, so no callback needs to publish
 * it. */
static void
dock(struct fg_identity *self, bool (*ready)(struct fg_worker *worker))
{
	struct fg_worker *worker = self->worker;
	assert(!worker->wait.docked);
	worker->wait.docked = self;
	worker->wait.ready = ready;
	/* Nothing else rings where a task of another region is taken up, and it may run for longer than the wait. */
	fg_fence_light();
	fg_monitor_poke();
}

void
fg_worker_wait(struct fg_identity *self, bool (*ready)(struct fg_worker *worker))
{
	struct fg_thief thief = fg_thief_new(self->worker, ready);
	struct fg_patience patience = {0};
	struct fg_found found;
	assert(self == fg_self() && self->worker->carries && fg_lock_order_none("waits with"));
	while (!ready(self->worker)) {
		struct fg_worker *worker = thief.worker = self->worker;
		fg_charge_search(true);
		if (!look_meanwhile(self, &thief, &found)) {
			if (!worker->donors.first && fg_load_relaxed(&fg_wanted) & FG_WANTED_DONORS)
				fg_donor_reserve(self);
			patience_turn(&patience, &thief);
			continue;
		}
		fg_charge_search(false);
		fg_idle_mark_end(&thief.idling);
		if (!can_go(self, &found)) {
			fg_starve(worker);
			continue;
		}
		dock(self, ready);
		if (found.stolen)
			fg_found_note(worker, &found);
		else
			fg_thief_turn_away(&thief);
		go(self, &found, NULL, NULL);
		thief = fg_thief_new(self->worker, ready);
		patience = (struct fg_patience){0};
	}
	fg_charge_search(false);
	fg_idle_mark_end(&thief.idling);
	fg_thief_turn_away(&thief);
}

/* Waits for work on a free donor's stack, while no docked thread waits. */
static void
idle(struct fg_identity *self, struct fg_thief *thief, struct fg_found *found)
{
	struct fg_worker *worker = self->worker;
	struct fg_patience patience = {0};
	/* `helps` may be that of a docked thread, which is suspended for a lock: its pthread_create called the
	 * program's malloc. That thread will look for tasks again, so `helps` gets its old value back. */
	uint64_t looks = fg_load_relaxed(&worker->helps);
	assert(!worker->wait.docked && self->kind == FG_DONOR);
	fg_parts(worker)->help.woken = false;
	fg_charge_search(true);
	while (!fg_worker_has_work(worker) && !(found->stolen = fg_thief_look(thief, &found->claim)) &&
	       !(found->thread = fg_exec_hooks.take(worker, self))) {
		fg_crew_look(worker, fg_crew_idles(worker));
		patience_turn(&patience, thief);
	}
	fg_charge_search(false);
	fg_idle_mark_end(&thief->idling);
	if (!found->stolen)
		fg_thief_turn_away(thief);
	if (!found->thread && fg_parts(worker)->help.woken && fg_load_relaxed(&worker->helps))
		fg_exec_hooks.pass_on(worker);
	fg_store_relaxed(&worker->helps, looks);
}

/* Nothing of the worker's own is there: something from elsewhere, or the docked thread, or a wait. */
static void
look_elsewhere(struct fg_identity *self, struct fg_found *found)
{
	struct fg_worker *worker = self->worker;
	struct fg_thief thief = fg_thief_new(worker, worker->wait.docked ? worker->wait.ready : NULL);
	thief.carries = true;
	if (fg_policy_steals() && fg_thief_ask(&thief, &found->claim))
		found->stolen = true;
	else if (worker->wait.docked)
		found->thread = fg_search_docked(worker);
	else
		idle(self, &thief, found);
	if (found->stolen)
		fg_found_note(worker, found);
	else if (found->thread)
		fg_worker_bind(worker, found->thread);
}

/* Does what the switch to this donor was for. */
static bool
obey(struct fg_identity *self)
{
	struct fg_bubble *bubble = self->assignment.bubble;
	assert(self->kind == FG_DONOR && !self->pinned && self->worker->carries && fg_worker_valid(self->worker));
	if (!bubble)
		return false;
	self->assignment.bubble = NULL;
	if (self->assignment.rejoins)
		fg_exec_hooks.rejoin(self, bubble);
	else
		fg_exec_hooks.populate(self, bubble);
	return true;
}

void
fg_worker_carry(void)
{
	struct fg_identity *self = fg_self();
	for (;;) {
		if (obey(self))
			continue;
		struct fg_worker *worker = self->worker;
		struct fg_found found;
		struct fg_turn turn = turn_now(worker, (struct fg_turn){0});
		turn.looks = self;
		if (!fg_search(worker, turn, true, &found))
			look_elsewhere(self, &found);
		if (!found.thread)
			self->assignment = fg_found_assignment(worker, &found);
		else if (found.thread != self)
			go(self, &found, fg_donor_pool_put, self);
	}
}
