/* A spin lock of the runtime (floor: base; every floor above). It spins for a microsecond at most, then sleeps in the
 * kernel, because the OS may deschedule the holder at any moment. lock_order.h has the order in which locks are taken.
 *
 * State: 0 free; 1 held; 2 held, and a thread may sleep. Unlock of 2 wakes one sleeper.
 *
 * A holder is inside the runtime, or has no identity, so no tick preempts it. It frees the lock on the thread that took
 * it, or passes it on with a switch (fg_spinlock_pass). Nobody takes a lock in a signal handler that may have
 * interrupted its holder. */
#pragma once
#include <assert.h>

#include "base/atomic.h"
#include "base/lock_order.h"

struct fg_spinlock {
	struct fg_atomic_u32 state;
#ifndef NDEBUG
	enum fg_lock_rank rank;
	uint64_t order;
#endif
};

#ifdef NDEBUG
#define FG_SPINLOCK_INIT(rank) {{0}}
#else
#define FG_SPINLOCK_INIT(rank) {{0}, rank, 0}
#endif

void fg_spinlock_lock_slow(struct fg_spinlock *lock);
void fg_spinlock_wake(struct fg_spinlock *lock);

static inline void
fg_spinlock_init(struct fg_spinlock *lock, enum fg_lock_rank rank)
{
	fg_store_relaxed(&lock->state, 0);
#ifndef NDEBUG
	lock->rank = rank;
	lock->order = 0;
#endif
	(void)rank;
}

/* A thread may hold several locks of one rank at a time if each has an order. It takes them in that order. */
static inline void
fg_spinlock_order(struct fg_spinlock *lock, uint64_t order)
{
#ifndef NDEBUG
	lock->order = order;
#endif
	(void)lock;
	(void)order;
}

/* A hint: it may be out of date. */
static inline bool
fg_spinlock_is_taken(const struct fg_spinlock *lock)
{
	return fg_load_relaxed(&lock->state) != 0;
}

static inline bool
fg_spinlock_trylock(struct fg_spinlock *lock)
{
	uint32_t free = 0;
	bool got = fg_cas_acquire(&lock->state, &free, 1);
	assert(!got || fg_lock_order_have(lock, lock->rank, lock->order));
	return got;
}

static inline void
fg_spinlock_lock(struct fg_spinlock *lock)
{
	assert(fg_lock_order_take(lock, lock->rank, lock->order));
	uint32_t free = 0;
	if (!fg_cas_acquire(&lock->state, &free, 1))
		fg_spinlock_lock_slow(lock);
}

static inline void
fg_spinlock_unlock(struct fg_spinlock *lock)
{
	assert(fg_lock_order_free(lock, lock->rank, lock->order));
	if (fg_exchange_acq_rel(&lock->state, 0) == 2)
		fg_spinlock_wake(lock);
}

/* For a lock that the callback of the caller's next switch frees. The caller passes it on before the switch, though it
 * holds it until then. The callback takes it over. */
static inline void
fg_spinlock_pass(struct fg_spinlock *lock)
{
	assert(fg_lock_order_pass(lock));
	(void)lock;
}

/* There was no switch after all. */
static inline void
fg_spinlock_take_back(struct fg_spinlock *lock)
{
	assert(fg_lock_order_take_back(lock));
	(void)lock;
}

static inline void
fg_spinlock_take_over(struct fg_spinlock *lock)
{
	assert(fg_lock_order_have(lock, lock->rank, lock->order));
	(void)lock;
}

#ifndef NDEBUG
/* The caller holds it: for an assert. */
static inline bool
fg_spinlock_held(const struct fg_spinlock *lock)
{
	return fg_lock_order_holds(lock, lock->rank, lock->order);
}
#endif
