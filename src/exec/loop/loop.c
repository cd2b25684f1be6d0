/* The one loop: it chooses the next thing that a worker does (floor: exec): see loop.h.
 *
 * The order is: a root that has claimed the worker (fg_worker_claimed); the docked thread if its wait is over; ready
 * threads that are pinned here; members of the crew that have not begun; the PU's runqueue and those above it; things
 * that the policy finds elsewhere; tasks of members that wait here.
 *
 * A thread that yields or is preempted lets all others go first in turn. These include unborn members, and members of
 * its crew that must run tasks. Otherwise two threads could keep each other running. Then the member that they wait for
 * would never run, or never be born.
 *
 * Slices. A thread that runs members of one small region after another switches all the time, but always to its own
 * members. So do two threads that wake each other. Neither asks for the other things that are ready here. So the monitor
 * sets a notice once something has waited for a slice. The next switch point takes it, and makes a turn of all kinds
 * there: where a thread leaves or looks for the next one (turn_now), where a nested or docked thread goes on without a
 * search, after a region of one member, after a task (fg_worker_look), or at a tick. The kind that goes first changes from slice to slice: members that have not begun,
 * the oldest bubble, the threads that are pinned here, the runqueues, those from the machine's down. The docked thread goes
 * first in every other. So each kind comes first after a few slices, whatever else is ready. */
#include "exec/loop/loop.h"

#include "base/carrier.h"
#include "base/log.h"
#include "exec/ground/hooks.h"
#include "exec/loop/inbox.h"
#include "exec/loop/ready.h"
#include "exec/loop/crew.h"
#include "exec/loop/ride.h"
#include "exec/loop/starve.h"
#include "exec/loop/thief.h"
#include "exec/thread/donor.h"
#include "exec/thread/donor_pool.h"
#include "exec/thread/doorbell.h"
#include "sched/decision.h"
#include "sched/policy.h"

static bool
may_go(const struct fg_identity *thread, const struct fg_worker *worker, bool own)
{
	return thread->ring.lent || (own && thread->crew_of == worker && thread->kind == FG_DONOR);
}

struct fg_identity *
fg_worker_inbox_lend(struct fg_worker *worker, bool own)
{
	fg_spinlock_lock(&worker->pinned.lock);
	struct fg_identity **link = &worker->pinned.first;
	while (*link && !may_go(*link, worker, own))
		link = &(*link)->next;
	struct fg_identity *thread = inbox_unlink_locked(worker, link);
	fg_spinlock_unlock(&worker->pinned.lock);
	return thread;
}

static struct fg_identity *
identity_of(struct fg_entity *thread)
{
	return (struct fg_identity *)((char *)thread - offsetof(struct fg_identity, entity));
}

/* Returns the identity of a ready thread that was found on a runqueue. From now on that is its home. */
static struct fg_identity *
claimed_thread(struct fg_worker *worker, const struct fg_claim *claim)
{
	fg_store_relaxed(&claim->thread->level, fg_worker_level_for(worker, claim->queue));
	return identity_of(claim->thread);
}

/* At the end of a phase, a PU that is done steals from one that is not. If each theft moved the thread for good, even
 * teams would lose their even distribution. So the thread goes back once to the PU that it was stolen from, if it ran there
 * before. If it is stolen there again, it moves. */
static struct fg_identity *
stolen_thread(struct fg_worker *worker, const struct fg_claim *claim)
{
	struct fg_runqueue *queue = claim->queue;
	struct fg_identity *thread = identity_of(claim->thread);
	if (!queue || queue->n_pus != 1 || queue == fg_worker_leaf(worker) || queue != fg_worker_leaf(thread->worker) ||
	    queue == fg_load_relaxed(&claim->thread->level))
		return claimed_thread(worker, claim);
	fg_store_relaxed(&claim->thread->level, queue);
	return thread;
}

static struct fg_order
claimed_order(struct fg_worker *worker, const struct fg_claim *claim)
{
	struct fg_runqueue *leaf = fg_worker_leaf(worker);
	if (claim->freed)
		claim->freed->entity.last_pu = (uint16_t)leaf->first_pu;
	return (struct fg_order){.bubble = claim->bubble,
				 .member = claim->member,
				 .range = claim->freed ? fg_load_relaxed(&claim->freed->entity.range) : NULL,
				 .level = fg_worker_level_for(worker, claim->queue)};
}

/* In one search, a policy may say this often that it has moved a bubble. After that `default` does its work. */
#define MOVED_MAX 1000

static bool
claim_here(struct fg_worker *worker, struct fg_claim *claim)
{
	struct fg_runqueue *leaf = fg_worker_leaf(worker);
	unsigned moved = 0;
	for (struct fg_runqueue *queue = leaf, *above; queue; queue = above) {
		above = fg_runqueue_parent(queue);
		if (fg_policy_met(queue, leaf, claim)) {
			if (++moved == MOVED_MAX)
				fg_policy_met_in_vain(queue, moved);
			above = leaf;
			continue;
		}
		if (fg_runqueue_claim(queue, FG_NEWEST, false, claim)) {
			/* One wake-up may have served two: the thread that made the rest ready may have found this
			 * worker still asleep. */
			if (fg_load_relaxed(&fg_idle.sleepers) != 0 && fg_runqueue_has_work(queue))
				fg_wake_any(queue, claim->only);
			return true;
		}
	}
	return false;
}

static bool
has_unborn(struct fg_worker *worker)
{
	if (fg_load_relaxed(&worker->crew.waiting) != 0)
		return true;
	for (struct fg_runqueue *queue = fg_worker_leaf(worker); queue; queue = fg_runqueue_parent(queue))
		if (fg_load_relaxed(&queue->holder.n_unborn) != 0)
			return true;
	return false;
}

/* Claims an unborn member, also of a bubble that lies higher up: a thread of this PU may be waiting for the member. */
static bool
claim_unborn(struct fg_worker *worker, struct fg_claim *claim)
{
	for (struct fg_runqueue *queue = fg_worker_leaf(worker); queue; queue = fg_runqueue_parent(queue))
		if (fg_load_relaxed(&queue->holder.n_unborn) != 0 && fg_runqueue_claim(queue, FG_NEWEST, true, claim))
			return true;
	return false;
}

/* The same, from the machine's runqueue down. A thread that meets one region after the other always has the newest. */
static bool
claim_oldest_unborn(struct fg_runqueue *queue, struct fg_claim *claim)
{
	return queue &&
	       (claim_oldest_unborn(fg_runqueue_parent(queue), claim) ||
		(fg_load_relaxed(&queue->holder.n_unborn) != 0 && fg_runqueue_claim(queue, FG_OLDEST, true, claim)));
}

static bool
claim_from_above(struct fg_runqueue *queue, struct fg_claim *claim)
{
	return queue && (claim_from_above(fg_runqueue_parent(queue), claim) ||
			 fg_runqueue_claim(queue, FG_NEWEST, false, claim));
}

static bool
docked_is_ready(struct fg_worker *worker)
{
	return worker->wait.docked && worker->wait.ready(worker);
}

static struct fg_identity *
docked_take(struct fg_worker *worker)
{
	struct fg_identity *docked = worker->wait.docked;
	worker->wait.docked = NULL;
	return docked;
}

/* The kinds of work that come first. The others follow. Without `unborn` and `queue`, the ready threads that are
 * pinned here come first. */
struct turn {
	bool unborn;
	bool oldest;	  /* and the oldest of them */
	bool docked_last; /* the docked thread goes last, although its wait is over */
	bool early;	  /* members are called for tasks before the threads that are ready */
	bool queue;
	bool above;  /* the runqueues from the machine's down, or threads on the PU's own could keep others from it */
	bool called; /* members are called for tasks in any case, last */
	struct fg_identity *looks; /* the donor that looks for the next thread, because the call may be for it; or NULL */
};

static bool
claim_queue(struct fg_worker *worker, struct turn turn, struct fg_claim *claim)
{
	return (turn.above && claim_from_above(fg_worker_leaf(worker), claim)) || claim_here(worker, claim);
}

static struct fg_identity *
next_here(struct fg_worker *worker, struct turn turn, struct fg_claim *claim)
{
	struct fg_identity *next = NULL;
	if (!turn.docked_last && docked_is_ready(worker))
		return docked_take(worker);
	if (turn.unborn && (next = fg_crew_take(&worker->crew)))
		return next;
	if ((turn.oldest && claim_oldest_unborn(fg_worker_leaf(worker), claim)) ||
	    (turn.unborn && claim_unborn(worker, claim)) || (turn.queue && claim_queue(worker, turn, claim)))
		return claim->thread ? claimed_thread(worker, claim) : NULL;
	if (turn.early && (next = fg_exec_hooks.take(worker, turn.looks)))
		return next;
	if ((next = inbox_take(worker)) || (next = fg_crew_take(&worker->crew)))
		return next;
	if (claim_queue(worker, turn, claim))
		return claim->thread ? claimed_thread(worker, claim) : NULL;
	if (turn.docked_last && docked_is_ready(worker))
		return docked_take(worker);
	return turn.called ? fg_exec_hooks.take(worker, turn.looks) : NULL;
}

/* Returns a thread to switch to, if there is one. Otherwise, if there is a donor, a member may have been claimed: then
 * claim->bubble is set. */
static struct fg_identity *
next_thread(struct fg_worker *worker, struct turn turn, bool donor, struct fg_claim *claim)
{
	struct fg_identity *next;
	*claim = (struct fg_claim){.only = fg_worker_only(worker), .threads_only = !donor};
	if (__builtin_expect(fg_load_relaxed(&worker->relief.spare) != NULL, 0) && (next = fg_worker_claimed(worker)))
		return next;
	next = next_here(worker, turn, claim);
	if (next)
		fg_worker_bind(worker, next);
	return next;
}

/* `stays`: the callback makes the caller ready again. False: there is no thread to switch to, and no donor that could
 * look for one. */
static bool
try_leave(struct fg_identity *self, struct turn turn, bool stays, void (*callback)(void *), void *arg)
{
	struct fg_worker *worker = self->worker;
	struct fg_claim claim;
	fg_seat_look(worker);
	if (__builtin_expect(!worker->donors.first, 0))
		fg_donor_pool_restock(worker);
	if (__builtin_expect(fg_load_relaxed(&worker->lend.wanted) != 0, 0) && (worker->donors.first || stays))
		fg_exec_hooks.lend(worker, stays);
	struct fg_identity *next = next_thread(worker, turn, worker->donors.first != NULL, &claim);
	if (!next && __builtin_expect(!worker->donors.first, 0)) {
		if (stays || !worker->wait.docked)
			return false;
		next = docked_take(worker); /* the docked thread goes on waiting */
		fg_worker_bind(worker, next);
	}
	if (!next) {
		next = fg_donor_pool_get(worker);
		next->order = claim.bubble ? claimed_order(worker, &claim) : (struct fg_order){0};
	}
	worker->statistics.suspends++;
	if (__builtin_expect(fg_policy_wants & FG_WANTS_BLOCKED, 0) && !stays)
		fg_policy_blocked(&self->entity, fg_worker_leaf(worker));
	fg_worker_switch(self, next, callback, arg);
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
 * Every other turn goes to the unborn members, if there are any; after a slice two of three do, because they have waited for
 * longer than the threads that have had a slice. Every other turn of the runqueues begins at the machine's.
 * Only the turns of the runqueues count for that: else all of them could begin there, and the threads on the PU's own
 * would starve. */
static struct turn
next_turn(struct fg_worker *worker)
{
	bool over = slice_take(worker);
	worker->turn.docked ^= over;
	worker->turn.slices += over;
	worker->turn.unborn = over ? worker->turn.slices % SLICES_UNBORN : !worker->turn.unborn;
	worker->turn.leaves++;
	struct turn turn = {.early = worker->turn.unborn, .called = true, .docked_last = over && worker->turn.docked};
	if (worker->turn.unborn && has_unborn(worker)) {
		worker->turn.oldest ^= over;
		turn.unborn = true;
		turn.oldest = over && worker->turn.oldest;
		return turn;
	}
	uint32_t pinned = fg_load_relaxed(&worker->pinned.count);
	turn.queue = worker->turn.queue != 0;
	if (turn.queue || !pinned)
		worker->turn.above = !worker->turn.above;
	if (turn.queue)
		worker->turn.queue--;
	else if (pinned)
		worker->turn.queue = (fg_worker_n_ready(worker) + pinned - 1) / pinned;
	turn.above = worker->turn.above;
	return turn;
}

/* The turn of a thread that waits, or of a donor that looks for the next thread, unless a slice is over. */
static struct turn
turn_now(struct fg_worker *worker, struct turn usual)
{
	return fg_worker_slice_is_over(worker) ? next_turn(worker) : usual;
}

/* Threads that meet barriers again and again are always ready before a slice is over. So that unborn members and threads
 * on the levels above have their turn too, they go first in every 16th. */
#define SELDOM 16

bool
fg_worker_try_leave(struct fg_identity *self, bool locked, void (*callback)(void *), void *arg)
{
	bool seldom = ++self->worker->turn.leaves % SELDOM == 0;
	struct turn turn = turn_now(self->worker, (struct turn){.unborn = seldom, .early = seldom, .above = seldom});
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
	return fg_worker_has_work(worker) || docked_is_ready(worker) || fg_exec_hooks.called_here(worker) ||
	       (fg_ride_concerns(worker) && fg_ride_waits(worker));
}

bool
fg_worker_must_leave(struct fg_identity *self)
{
	fg_seat_look(self->worker);
	return fg_worker_others_wait(self->worker) || fg_load_relaxed(&self->entity.sent) != NULL;
}

void
fg_worker_yield(struct fg_identity *self)
{
	struct fg_worker *worker = self->worker;
	if (fg_ride_concerns(worker) && fg_ride_gives_way(self))
		return;
	if (!fg_worker_must_leave(self) || try_leave(self, next_turn(worker), true, ready_callback, self))
		return;
	if (fg_donor_reserve(self) && fg_worker_must_leave(self))
		try_leave(self, next_turn(self->worker), true, ready_callback, self);
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
	worker->statistics.preemptions++;
	fg_worker_trace(FG_EVENT_preempt, self, 0, 0);
	fg_sums_preempt(self->thread.sums);
	if (!try_leave(self, next_turn(worker), true, preempted_callback, self) && worker->ride.next)
		fg_ride_turn(self);
}

void
fg_worker_make_way(struct fg_identity *self)
{
	if (!try_leave(self, next_turn(self->worker), true, ready_callback, self) && !fg_ride_turn(self))
		fg_starve(self->worker);
}

static void
steal_note(struct fg_worker *worker, const struct fg_claim *claim)
{
	worker->statistics.steals++;
	if (__builtin_expect(!fg_recorded, 1))
		return;
	const struct fg_identity *thread = claim->thread ? identity_of(claim->thread) : NULL;
	fg_sums_stolen(thread ? thread->thread.sums : claim->bubble->sums);
	if (!fg_trace_on)
		return;
	fg_decision_stole(thread ? thread->thread.bubble : claim->bubble->number,
			  thread ? thread->thread.num : claim->member, fg_worker_leaf(worker));
}

static void
patience_turn(struct fg_patience *patience, struct fg_thief *thief)
{
	bool spins = fg_patience_spin(patience, thief->worker);
	if (__builtin_expect(fg_policy_wants & FG_WANTS_REDISTRIBUTE, 0))
		fg_idle_mark_turn(&thief->idling, thief->worker, spins);
	if (spins)
		return;
	if (fg_idle_sleep(thief->worker, thief->ready)) {
		thief->woken = thief->worker->help.woken = true;
		thief->left = 1;
	}
	*patience = (struct fg_patience){.again = true};
}

void
fg_worker_wait(struct fg_identity *self, bool (*ready)(struct fg_worker *worker))
{
	struct fg_thief thief = fg_thief_new(self->worker, ready);
	struct fg_patience patience = {0};
	while (!ready(self->worker)) {
		struct fg_worker *worker = thief.worker = self->worker;
		struct fg_claim claim = {.only = fg_worker_only(worker)};
		bool stolen = false;
		struct fg_identity *next = NULL;
		fg_charge_search(true);
		if (fg_worker_has_work(worker) || (stolen = fg_thief_look(&thief, &claim)) ||
		    (next = fg_exec_hooks.take(worker, self))) {
			fg_charge_search(false);
			fg_idle_mark_end(&thief.idling);
			if (!stolen && !next && !worker->donors.first && !fg_donor_reserve(self) &&
			    !(next = next_thread(worker, (struct turn){0}, false, &claim))) {
				fg_starve(worker);
				continue;
			}
			/* A worker has at most one docked thread. Only this worker's next contexts take it, so no
			 * callback needs to publish it. */
			assert(!worker->wait.docked);
			worker->wait.docked = self;
			worker->wait.ready = ready;
			if (stolen)
				steal_note(worker, &claim);
			else
				fg_thief_turn_away(&thief);
			if (next) {
				fg_worker_bind(worker, next);
			} else if (claim.thread) {
				next = stolen_thread(worker, &claim);
				fg_worker_bind(worker, next);
			} else {
				next = fg_donor_pool_get(worker);
				next->order = stolen ? claimed_order(worker, &claim) : (struct fg_order){0};
			}
			fg_worker_switch(self, next, NULL, NULL);
			thief = fg_thief_new(self->worker, ready);
			patience = (struct fg_patience){0};
			continue;
		}
		if (!worker->donors.first && fg_load_relaxed(&fg_donors_wanted))
			fg_donor_reserve(self);
		patience_turn(&patience, &thief);
	}
	fg_charge_search(false);
	fg_idle_mark_end(&thief.idling);
	fg_thief_turn_away(&thief);
}

/* Waits for work on a free donor's stack, while no docked thread waits. Returns the thread that must run tasks, or
 * NULL. */
static struct fg_identity *
idle(struct fg_identity *self, struct fg_thief *thief, struct fg_claim *claim)
{
	struct fg_worker *worker = self->worker;
	struct fg_patience patience = {0};
	struct fg_identity *called = NULL;
	/* `helps` may be that of a docked thread, which is suspended for a lock: its pthread_create called the
	 * program's malloc. That thread will look for tasks again, so `helps` gets its old value back. */
	uint64_t looks = fg_load_relaxed(&worker->helps);
	worker->help.woken = false;
	fg_charge_search(true);
	while (!fg_worker_has_work(worker) && !fg_thief_look(thief, claim) &&
	       !(called = fg_exec_hooks.take(worker, self))) {
		fg_crew_look(worker, fg_crew_idles(worker));
		patience_turn(&patience, thief);
	}
	fg_charge_search(false);
	fg_idle_mark_end(&thief->idling);
	if (claim->bubble || claim->thread)
		steal_note(worker, claim);
	else
		fg_thief_turn_away(thief);
	if (!called && worker->help.woken && fg_load_relaxed(&worker->helps))
		fg_exec_hooks.pass_on(worker);
	fg_store_relaxed(&worker->helps, looks);
	return called;
}

void
fg_worker_carry(void)
{
	struct fg_identity *self = fg_self();
	for (;;) {
		struct fg_bubble *bubble = self->order.bubble;
		if (bubble) {
			self->order.bubble = NULL;
			if (self->order.rejoins)
				fg_exec_hooks.rejoin(self, bubble);
			else
				fg_exec_hooks.populate(self, bubble);
			continue;
		}
		struct fg_worker *worker = self->worker;
		struct fg_claim claim;
		struct turn turn = turn_now(worker, (struct turn){0});
		turn.looks = self;
		struct fg_identity *next = next_thread(worker, turn, true, &claim);
		if (!next && !claim.bubble) {
			struct fg_thief thief = fg_thief_new(worker, worker->wait.docked ? worker->wait.ready : NULL);
			if (fg_policy_steals() && fg_thief_ask(&thief, &claim))
				steal_note(worker, &claim);
			else if (worker->wait.docked)
				next = docked_take(worker);
			else
				next = idle(self, &thief, &claim);
			if (claim.thread)
				next = stolen_thread(worker, &claim);
			if (next)
				fg_worker_bind(worker, next);
		}
		if (next && next != self)
			fg_worker_switch(self, next, fg_donor_pool_put, self);
		else if (claim.bubble)
			self->order = claimed_order(worker, &claim);
	}
}
