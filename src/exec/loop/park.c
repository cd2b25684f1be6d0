/* Parking lot (floor: exec): waiters by address, in buckets.
 *
 * No wake-up is lost.
 *
 *     waiter: take the bucket's lock; count itself; full fence; evaluate still()
 *     waker:  change the state; full fence; read the count
 *
 * The waiter is in the list before the lock is let go, and a member is enqueued only once it is saved. There are two
 * cases. If the waker sees the count, it takes the lock, and then the waiter is in the list. Otherwise the waker's
 * fence came before the waiter's, and still() sees the new state. */
#include "exec/loop/park.h"

#include "base/carrier.h"
#include "exec/grant/ride.h"
#include "exec/loop/look.h"
#include "exec/loop/loop.h"
#include "exec/loop/ready.h"
#include "exec/thread/worker.h"

#define BUCKETS 256

static struct bucket {
	_Alignas(64) struct fg_spinlock lock;
	struct fg_atomic_u32 count; /* waiters here or about to be; written under the lock */
	struct fg_identity *first, *last;
} buckets[BUCKETS] = {[0 ... BUCKETS - 1] = {.lock = FG_SPINLOCK_INIT(FG_RANK_PARK)}};

static struct bucket *
bucket_of(const void *address)
{
	uint64_t hash = (uint64_t)(uintptr_t)address * UINT64_C(0x9e3779b97f4a7c15);
	return &buckets[hash >> 56];
}

static void
count_add_locked(struct bucket *bucket, uint32_t change)
{
	fg_store_relaxed(&bucket->count, fg_load_relaxed(&bucket->count) + change);
	assert((int32_t)fg_load_relaxed(&bucket->count) >= 0);
}

static void
enqueue_locked(struct bucket *bucket, struct fg_identity *self)
{
	assert(fg_spinlock_held(&bucket->lock) && self->park.on && bucket == bucket_of(self->park.on));
	self->next = NULL;
	if (bucket->first)
		bucket->last->next = self;
	else
		bucket->first = self;
	bucket->last = self;
	assert(!bucket->last->next && fg_load_stable(&bucket->count) > 0);
}

/* On the stack of the next thread, to which the waiter has passed the bucket's lock. */
static void
enqueue_callback(void *waiter)
{
	struct fg_identity *self = waiter;
	struct bucket *bucket = bucket_of(self->park.on);
	fg_spinlock_take_over(&bucket->lock);
	enqueue_locked(bucket, self);
	fg_spinlock_unlock(&bucket->lock);
}

/* False: the caller has nothing to switch to, and is no waiter any more. */
static bool
park_member_locked(struct bucket *bucket, struct fg_identity *self)
{
	fg_store_relaxed(&self->park.word, 0);
	fg_spinlock_pass(&bucket->lock);
	if (__builtin_expect(fg_worker_try_leave(self, true, enqueue_callback, self), 1))
		return true;
	fg_spinlock_take_back(&bucket->lock);
	self->park.on = NULL;
	count_add_locked(bucket, -1u);
	fg_spinlock_unlock(&bucket->lock);
	return false;
}

void
fg_park(const void *address, bool (*still)(void *arg), void *arg)
{
	struct fg_identity *self = fg_self();
	bool carried = self->worker->carries;
	assert(fg_load_stable(&self->in_runtime) && fg_lock_order_none("parks with"));
	if (carried)
		fg_worker_can_leave(self); /* a donor is made before the lock is taken */
	struct bucket *bucket = bucket_of(address);
	fg_spinlock_lock(&bucket->lock);
	count_add_locked(bucket, 1);
	fg_fence_seq_cst();
	if (!still(arg)) {
		count_add_locked(bucket, -1u);
		fg_spinlock_unlock(&bucket->lock);
		return;
	}
	assert(!self->park.on && address);
	self->park.on = address;
	if (carried) {
		if (!park_member_locked(bucket, self))
			fg_worker_give_way(self); /* the caller of fg_park will test its condition again */
		return;
	}
	enqueue_locked(bucket, self);
	fg_store_relaxed(&self->park.word, 1);
	fg_spinlock_unlock(&bucket->lock);
	while (fg_load_acquire(&self->park.word))
		fg_carrier->wait(&self->park.word, 1, 0);
}

/* Takes up to `count` waiters at the address out of the bucket, oldest first. */
static struct fg_identity *
take_locked(struct bucket *bucket, const void *address, unsigned count, unsigned *taken)
{
	struct fg_identity *list = NULL, **tail = &list, **link = &bucket->first, *last = NULL;
	*taken = 0;
	assert(fg_spinlock_held(&bucket->lock) && (!bucket->first || (bucket->last && !bucket->last->next)));
	while (*link && *taken < count) {
		struct fg_identity *waiter = *link;
		if (waiter->park.on == address) {
			*link = waiter->next;
			*tail = waiter;
			tail = &waiter->next;
			waiter->park.on = NULL;
			++*taken;
		} else {
			last = waiter;
			link = &waiter->next;
		}
	}
	if (!*link)
		bucket->last = last;
	*tail = NULL;
	count_add_locked(bucket, -*taken);
	return list;
}

unsigned
fg_unpark(const void *address, unsigned count)
{
	struct bucket *bucket = bucket_of(address);
	assert(!fg_self_preemptible());
	fg_fence_seq_cst();
	if (fg_load_relaxed(&bucket->count) == 0)
		return 0;
	unsigned taken;
	fg_spinlock_lock(&bucket->lock);
	struct fg_identity *waiter = take_locked(bucket, address, count, &taken);
	fg_spinlock_unlock(&bucket->lock);
	while (waiter) {
		struct fg_identity *next = waiter->next;
		if (fg_load_relaxed(&waiter->park.word)) {
			fg_store_release(&waiter->park.word, 0);
			fg_carrier->wake(&waiter->park.word, 1);
		} else
			fg_worker_ready(waiter);
		waiter = next;
	}
	return taken;
}

#define LOOK_TURNS 256	     /* some microseconds: a wait that is as short is worth no switch */
#define SHARED_TURNS 64	     /* a microsecond or two: so long an idle PU has to take what lies on a shared level */
#define KERNEL_SPIN_NS 10000 /* for a caller that waits in the kernel: others may need its PU, and it cannot tell */

/* A thief looks only now and then, because each look reads the counts of all runqueues. */
static bool
could_steal(struct fg_spin *spin, struct fg_worker *worker)
{
	if (spin->patience.turns % LOOK_TURNS != LOOK_TURNS - 1 || !(fg_load_relaxed(&fg_wanted) & FG_WANTED_DONORS) ||
	    !fg_worker_may_steal(worker))
		return false;
	spin->patience.turns++; /* a caller that does not park looks again only after as many turns */
	return true;
}

/* Work on a level above the PU is for all PUs below. One of them may idle, and is about to take it. If the waiter gave
 * way at once, it would lie on that level, too, as soon as its wait is over. The next waiter would then give way for
 * it, and so on at every barrier, although there is a PU for each member. */
static bool
must_give_way(const struct fg_spin *spin, struct fg_worker *worker)
{
	return fg_worker_has_work(worker) &&
	       (spin->patience.turns >= SHARED_TURNS || !fg_worker_work_is_shared(worker));
}

/* If the caller parks, the worker takes its own work, or steals (fg_worker_carry). A caller that was sent to another PU
 * goes there once it is ready again. */
bool
fg_spin(struct fg_spin *spin)
{
	const struct fg_identity *self = fg_self();
	struct fg_worker *worker = self->worker;
	if (worker->carries &&
	    (must_give_way(spin, worker) || fg_load_relaxed(&self->entity.sent) != NULL || could_steal(spin, worker)))
		return false;
	if (!spin->patience.until && !worker->carries)
		spin->patience.until = fg_carrier->now() + KERNEL_SPIN_NS;
	return fg_patience_spin(&spin->patience, worker);
}

#define PERIOD_TURNS (4 * LOOK_TURNS) /* in most of them there is nothing to look after */

bool
fg_spin_pauses(struct fg_spin *spin)
{
	const struct fg_identity *self = fg_self();
	unsigned turn = spin->patience.turns % PERIOD_TURNS;
	if (turn == LOOK_TURNS - 1 || (turn < LOOK_TURNS && fg_patience_has_chores(turn)) ||
	    fg_ride_concerns(self->worker) || fg_load_relaxed(&self->entity.sent) != NULL ||
	    (self->worker->carries && fg_worker_has_work(self->worker)))
		return false;
	spin->patience.turns++;
	fg_carrier->pause();
	return true;
}

void
fg_yield(void)
{
	struct fg_identity *self = fg_self();
	if (self && self->worker->carries)
		fg_worker_yield(self);
}

void
fg_park_after_fork(void)
{
	for (unsigned i = 0; i < BUCKETS; i++)
		buckets[i] = (struct bucket){.lock = FG_SPINLOCK_INIT(FG_RANK_PARK)};
}
