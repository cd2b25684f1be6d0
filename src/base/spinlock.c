/* The spin lock's slow paths (floor: base). */
#include "base/spinlock.h"
#include "base/carrier.h"

/* To sleep and be woken costs some 50 us, and a lock of the runtime is held for some 100 ns. So many holders that run
 * are done by the end of the spin. With a shorter one, a dozen threads that come at once would sleep, and be woken one
 * after the other. */
#define SPIN_NS 20000
#define SPIN_TURNS 1000 /* where time stands still (virtual carrier) */

void
fg_spinlock_lock_slow(struct fg_spinlock *lock)
{
	uint64_t start = fg_carrier->now();
	uint64_t spent = 0;
	for (unsigned turn = 0; turn < SPIN_TURNS && spent < SPIN_NS; turn++) {
		fg_carrier->pause();
		uint32_t free = 0;
		if (fg_load_relaxed(&lock->state) == 0 && fg_cas_acquire(&lock->state, &free, 1))
			return;
		spent = fg_carrier->now() - start;
	}
	/* A thread here takes the lock in state 2, because it cannot know whether others sleep. */
	while (fg_exchange_acquire(&lock->state, 2) != 0)
		fg_carrier->wait(&lock->state, 2, 0);
}

void
fg_spinlock_wake(struct fg_spinlock *lock)
{
	fg_carrier->wake(&lock->state, 1);
}
