/* A spin lock of the runtime (floor: base; every floor above). Spins for a few hundred nanoseconds, then sleeps in the
 * kernel, for the OS may deschedule the holder at any moment (design D11).
 *
 * State: 0 free, 1 held, 2 held and somebody may sleep. Unlock of 2 wakes one sleeper. */
#pragma once
#include "base/atomic.h"

struct fg_spinlock {
	struct fg_atomic_u32 state;
};

#define FG_SPINLOCK_INIT {{0}}

void fg_spinlock_lock_slow(struct fg_spinlock *lock);
void fg_spinlock_wake(struct fg_spinlock *lock);

static inline void
fg_spinlock_init(struct fg_spinlock *lock)
{
	fg_store_relaxed(&lock->state, 0);
}

static inline bool
fg_spinlock_trylock(struct fg_spinlock *lock)
{
	uint32_t free = 0;
	return fg_cas_acquire(&lock->state, &free, 1);
}

static inline void
fg_spinlock_lock(struct fg_spinlock *lock)
{
	uint32_t free = 0;
	if (!fg_cas_acquire(&lock->state, &free, 1))
		fg_spinlock_lock_slow(lock);
}

static inline void
fg_spinlock_unlock(struct fg_spinlock *lock)
{
	if (fg_exchange_acq_rel(&lock->state, 0) == 2)
		fg_spinlock_wake(lock);
}
