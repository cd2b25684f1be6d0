/* Ride (floor: exec): see ride.h.
 *
 * Owner. The ride (`next`, and `head` of its workers) belongs to the kernel thread that carries it. This thread
 * alone links, unlinks and switches. A thread that holds the thread aboard (relief/hold.h) stands for it.
 *
 *     aboard W                 W->current runs; for each other R of the ride: R->current is saved
 *     R->current is saved      it is inside the runtime (in_runtime == 1), so no holder touches R
 *
 * Orders. The thread that looks (grant/boarding.c) writes `wanted` of a worker: the head where it must ride, or the
 * worker itself, which means that it must have a kernel thread of its own again. Then it stores news == 1 at the head
 * of the ride in which the worker is. All store it by an exchange, so that a later one does not hide what an earlier
 * one has released. A sleeper needs no PU, so it is not woken for that. The owner takes `news` by an exchange
 * (acquire), so it sees the order. An order that is missed, because the worker has changed its ride meanwhile, is given
 * again at the next look.
 *
 * Boarding. The worker's thread is saved by a switch to the base of its kernel thread (relief/board.c). The callback of
 * this switch pushes the worker onto `boarding` of the new head (release). `boarding` is only taken as a whole, by an
 * exchange (acquire): by the owner of the ride, or by the controller, which gives the workers kernel threads again
 * where the owner does not take them. So a worker is always in one of these hands:
 *
 *     its own kernel thread, a ride, `boarding` of a head, a spare that was told to resume it
 *
 * Sleep. Each worker has its own `asleep`, and wakers use it as ever (idle.c). The kernel thread sleeps only if all
 * workers of the ride are asleep, and then on the head's `bell`:
 *
 *     sleeper: read bell; look at asleep of all workers of the ride, and at news; sleep while the bell is the same
 *     waker:   asleep = 0 (exchange); add 1 to the bell of the worker's head; wake the sleepers of both words
 *
 * If the sleeper saw asleep == 1, its read of the bell came before the waker's addition, so the sleep ends. The waker
 * reads `head` after its exchange. This acquires the worker's store asleep = 1, which came after the store of `head`.
 * If the worker has left the ride since, it sleeps on `asleep` itself, whose value is 0 by now.
 *
 * Roots. The kernel thread of a thread of the program takes riders in only while one root has regions
 * (fg_bubble_origins.several == 0). For ever after, these take up only things of this root (fg_worker_only). When the
 * root leaves its region its riders lie in `boarding`. Nothing of the root is left for them to do. If another root
 * comes, the controller gives them kernel threads again. A root does not take riders in again once it is the only one
 * in a region: another root could dock a rider before the controller sees that, and then a member of that root's region
 * would block this one's kernel thread (roots/root.h). Instead waiting workers give the PU away at once
 * (fg_rides.crowded). */
#include "exec/grant/ride.h"

#include "base/carrier.h"
#include "exec/body/alternate.h"
#include "exec/body/binding.h"
#include "exec/body/glibc.h"
#include "exec/body/mask.h"
#include "exec/body/seat.h"
#include "exec/grant/cpu_share.h"
#include "exec/ground/hooks.h"
#include "exec/thread/clock.h"
#include "exec/thread/doorbell.h"
#include "exec/thread/wake.h"
#include "exec/thread/worker_parts.h"
#include "platform/sandbox.h"

#define GLANCE_TURNS 64
#define GLANCE_NS 50000
#define SET_NS 10000000 /* between two looks whether a root that has riders is on the PUs of the process */

struct fg_rides fg_rides;

static bool
is_awake(struct fg_worker *worker)
{
	return fg_load_acquire(&worker->asleep) == 0;
}

/* The next worker of the ride that is awake; NULL: there is none. */
static struct fg_worker *
next_awake(struct fg_worker *worker)
{
	struct fg_worker *next = fg_parts(worker)->ride.next;
	while (next && next != worker && !is_awake(next))
		next = fg_parts(next)->ride.next;
	return next == worker ? NULL : next;
}

static void
arrive_callback(void *unused)
{
	(void)unused;
	fg_mask_arrive(fg_self());
}

/* Goes on to another worker of the ride. */
static void
go_to(struct fg_identity *self, struct fg_worker *worker)
{
	struct fg_identity *next = fg_load_relaxed(&worker->current);
	bool frame = self->signals.follows & FG_MASK_FRAME;
	assert(fg_lock_order_switch() && next != self && next->worker == worker && fg_parts(self->worker)->ride.next);
	assert(self == fg_self() && fg_load_stable(&self->worker->current) == self && fg_ride_valid(worker));
	assert(fg_identity_valid(self) && fg_identity_valid(next) && fg_load_stable(&next->in_runtime));
	if (self->at_home)
		fg_glibc_leave_home(self);
	if ((self->signals.follows | next->signals.follows) || fg_parts(self->worker)->mask != fg_parts(worker)->mask)
		fg_mask_switch(self, next, worker);
	fg_store_relaxed(&worker->progress, fg_load_relaxed(&worker->progress) + 1);
	if (__builtin_expect(fg_recording.any, 0))
		fg_worker_trace_switch(self, next);
	fg_clock_switch(self, next);
	fg_context_switch(&self->context, &next->context, frame ? arrive_callback : NULL, NULL);
	if (__builtin_expect(fg_ride_calls(self->worker), 0))
		fg_ride_look(self);
}

/* A ride that goes round need not wait, so none of its workers would see that PUs are back. */
static void
glance(struct fg_worker *worker)
{
	struct fg_worker *head = fg_worker_head(worker);
	if (++fg_parts(head)->ride.turns % GLANCE_TURNS)
		return;
	uint64_t now = fg_carrier->now();
	if (now - fg_parts(head)->sharing.glanced < GLANCE_NS)
		return;
	fg_parts(head)->sharing.glanced = now;
	if (fg_seat_on && now - fg_parts(head)->sharing.at_node >= SET_NS) {
		fg_parts(head)->sharing.at_node = now;
		fg_binding_join_set(worker);
	}
	if (fg_exec_hooks.glance(worker) && fg_sandbox_allows(FG_SANDBOX_PLACES))
		fg_carrier->yield(); /* other workers must board, too */
}

bool
fg_ride_turn(struct fg_identity *self)
{
	struct fg_worker *next = next_awake(self->worker);
	assert(self == fg_self() && fg_load_stable(&self->in_runtime) && fg_lock_order_none("lets a rider go on with"));
	if (!next)
		return false;
	glance(self->worker);
	go_to(self, next);
	return true;
}

static void
ride_add(struct fg_worker *head, struct fg_worker *worker)
{
	fg_parts(worker)->ride.next = fg_parts(head)->ride.next ? fg_parts(head)->ride.next : head;
	fg_parts(head)->ride.next = worker;
	worker->tid = head->tid;
	fg_store_relaxed(&worker->spare, fg_load_relaxed(&head->spare));
	fg_store_relaxed(&worker->head, head);
	fg_store_relaxed(&head->head, head);
	assert(fg_ride_valid(worker));
}

static void
ride_remove(struct fg_worker *worker)
{
	struct fg_worker *head = fg_worker_head(worker), *before = worker;
	assert(worker != head && fg_ride_valid(worker));
	while (fg_parts(before)->ride.next != worker)
		before = fg_parts(before)->ride.next;
	fg_parts(before)->ride.next = fg_parts(worker)->ride.next;
	fg_parts(worker)->ride.next = NULL;
	fg_store_relaxed(&worker->head, NULL);
	if (fg_parts(head)->ride.next == head) {
		fg_parts(head)->ride.next = NULL;
		fg_store_relaxed(&head->head, NULL);
	}
}

static void
take_in(struct fg_identity *self, struct fg_worker *head)
{
	if (!(self->signals.follows & FG_MASK_FRAME))
		fg_alternate_prepare(head->home);
	struct fg_worker *worker = fg_ride_unqueue(head);
	fg_parts(head)->ride.taken_in++;
	while (worker) {
		struct fg_worker *following = fg_parts(worker)->ride.link;
		ride_add(head, worker);
		worker = following;
	}
}

static bool
takes_in(struct fg_worker *head)
{
	if (fg_load_relaxed(&fg_parts(head)->ride.boarding) == NULL)
		return false;
	const struct fg_worker *above = fg_load_relaxed(&head->head);
	return (!above || above == head) && (!head->home->root || !fg_load_relaxed(&fg_bubble_origins.several));
}

/* Gives kernel threads to the riders that must have one again, but not to the caller's worker. */
static void
give_threads(struct fg_worker *aboard)
{
	struct fg_worker *worker = fg_parts(aboard)->ride.next;
	void *spare;
	while (worker && worker != aboard) {
		struct fg_worker *following = fg_parts(worker)->ride.next;
		if (worker != fg_worker_head(worker) && fg_load_relaxed(&fg_parts(worker)->ride.wanted) == worker &&
		    (spare = fg_exec_hooks.reserve())) {
			fg_cpu_share_anew(&fg_parts(fg_worker_head(worker))->sharing);
			fg_cpu_share_anew(&fg_parts(worker)->sharing);
			ride_remove(worker);
			fg_store_relaxed(&fg_parts(worker)->ride.wanted, NULL);
			fg_exec_hooks.resume(spare, worker);
		}
		worker = following;
	}
}

void
fg_ride_look(struct fg_identity *self)
{
	struct fg_worker *worker = self->worker, *head = fg_worker_head(worker);
	assert(self == fg_self() && fg_load_stable(&self->in_runtime) && fg_lock_order_none("rides with"));
	if (!fg_ride_calls(worker) || !fg_exchange_acquire(&head->news, 0))
		return;
	if (takes_in(head))
		take_in(self, head);
	give_threads(worker);
	struct fg_worker *wanted = fg_load_acquire(&fg_parts(worker)->ride.wanted);
	if (!wanted || !is_awake(worker)) /* a sleeper moves only once its sleep is over, or wakers would miss it */
		return;
	if (!fg_parts(worker)->ride.next) {
		fg_store_relaxed(&fg_parts(worker)->ride.wanted, NULL);
		if (wanted != worker)
			fg_exec_hooks.board(self, wanted);
	} else if (worker != head && wanted == worker) {
		/* The thread that comes next sees the news, and this worker gets its own kernel thread back. */
		fg_exchange_acq_rel(&head->news, 1);
		go_to(self, fg_parts(worker)->ride.next);
	}
}

void
fg_ride_wait_begins(struct fg_worker *worker)
{
	fg_parts(fg_worker_head(worker))->ride.waits++;
}

bool
fg_ride_pause_slow(struct fg_identity *self)
{
	if (fg_ride_calls(self->worker))
		fg_ride_look(self);
	return fg_parts(self->worker)->ride.next && fg_ride_turn(self);
}

void
fg_ride_sleep(struct fg_worker *worker, uint64_t limit_ns)
{
	struct fg_identity *self = fg_self();
	while (fg_parts(worker)->ride.next && fg_load_acquire(&worker->asleep)) {
		struct fg_worker *head = fg_worker_head(worker);
		uint32_t bell = fg_load_acquire(&fg_parts(head)->ride.bell);
		struct fg_worker *next = next_awake(worker);
		if (fg_ride_calls(worker))
			return;
		if (next)
			go_to(self, next);
		else if (fg_load_acquire(&worker->asleep))
			fg_carrier->wait(&fg_parts(head)->ride.bell, bell, limit_ns);
		if (limit_ns)
			return;
	}
}

bool
fg_ride_waits(struct fg_worker *worker)
{
	return next_awake(worker) || fg_ride_calls(worker);
}

FG_READS_HINTS bool
fg_ride_waits_hint(struct fg_worker *worker)
{
	struct fg_worker *head = fg_load_relaxed(&worker->head), *owner = head ? head : worker;
	/* A root outside its regions looks when its next region begins, and a sleeper once it is woken. */
	if (!owner->carries)
		return false;
	if (fg_load_relaxed(&owner->news) && is_awake(worker))
		return true;
	if (!head)
		return false;
	FG_EACH_WORKER (other)
		if (other != worker && fg_load_relaxed(&other->head) == head && is_awake(other))
			return true;
	return false;
}

bool
fg_ride_gives_way(struct fg_identity *self)
{
	struct fg_worker *worker = self->worker;
	if (fg_ride_calls(worker))
		fg_ride_look(self);
	worker = self->worker;
	if (!fg_parts(worker)->ride.next)
		return false;
	fg_parts(worker)->ride.rode = !fg_parts(worker)->ride.rode;
	return fg_parts(worker)->ride.rode && fg_ride_turn(self);
}

void
fg_ride_tell(struct fg_worker *worker)
{
	struct fg_worker *head = fg_worker_head(worker);
	fg_exchange_acq_rel(&head->news, 1);
	fg_wake_worker(head);
}

void
fg_ride_queue(struct fg_worker *head, struct fg_worker *worker)
{
	void *first = fg_load_relaxed(&fg_parts(head)->ride.boarding);
	assert(worker != head && !fg_parts(worker)->ride.next && fg_load_stable(&worker->head) == head);
	do
		fg_parts(worker)->ride.link = first;
	while (!fg_cas_release(&fg_parts(head)->ride.boarding, &first, worker));
	fg_exchange_acq_rel(&head->news, 1);
}

struct fg_worker *
fg_ride_unqueue(struct fg_worker *head)
{
	return fg_exchange_acquire(&fg_parts(head)->ride.boarding, NULL);
}

void
fg_ride_put_off(struct fg_worker *worker)
{
	assert(fg_worker_is_own(worker) && fg_worker_head(worker) == worker);
	while (fg_parts(worker)->ride.next) {
		struct fg_worker *rider = fg_parts(worker)->ride.next;
		ride_remove(rider);
		fg_store_relaxed(&rider->head, worker);
		fg_ride_queue(worker, rider);
	}
}
