/* Biased lock (floor: forest): see biased_lock.h.
 *
 * Invariant: a thread has locked => no thread is inside by its side. Others may be inside together.
 *
 * Proof. Dekker's protocol, with the fence on one side only:
 *
 *     enters: store inside = 1; light fence; load shut
 *     locks:  store shut = 1; heavy fence; for each side: wait until inside == 0
 *
 * Either the thread that enters sees `shut`, or the one that locks sees `inside`, and waits for the store of 0. The
 * spin lock is held from before the store of `shut` until after it is 0 again. So one that sees `shut` waits for the
 * other, and is alone then.
 *
 * Order of memory. Data written inside are released by the store of 0, and the one that locks acquires it there. If
 * its fence comes after the light one, it reads that 1 or what was stored later. It releases its own data with
 * shut = 0. One that enters later has made its light fence after the heavy one. So it reads that 0 and acquires, or a 1
 * and acquires by the spin lock. Sides may come meanwhile: each is in the list before its thread enters. A side that is
 * not in the list at the heavy fence enters later, because its maker's exchange of the list comes before it. */
#include "forest/biased_lock.h"

#include "base/carrier.h"

/* A thread is inside for some nanoseconds, unless the kernel has taken its PU. */
#define SPIN_TURNS 1000
#define NAP_NS 50000

void
fg_biased_add(struct fg_biased_lock *lock, struct fg_biased_side *side)
{
	void *first = fg_load_relaxed(&lock->sides);
	do
		side->next = first;
	while (!fg_cas_acq_rel(&lock->sides, &first, side));
}

void
fg_biased_enter_slow(struct fg_biased_lock *lock, struct fg_biased_side *side)
{
	if (side)
		fg_store_release(&side->inside, 0);
	fg_spinlock_lock(&lock->lock);
}

static void
wait_for(struct fg_biased_side *side)
{
	for (unsigned turn = 0; fg_load_acquire(&side->inside); turn++) {
		if (turn < SPIN_TURNS)
			fg_carrier->pause();
		else
			fg_carrier->wait(&side->inside, 1, NAP_NS);
	}
}

void
fg_biased_lock(struct fg_biased_lock *lock)
{
	fg_spinlock_lock(&lock->lock);
	fg_store_relaxed(&lock->shut, 1);
	fg_fence_heavy();
	for (struct fg_biased_side *side = fg_load_acquire(&lock->sides); side; side = side->next)
		wait_for(side);
}

void
fg_biased_unlock(struct fg_biased_lock *lock)
{
	fg_store_release(&lock->shut, 0);
	fg_spinlock_unlock(&lock->lock);
}

void
fg_biased_after_fork(struct fg_biased_lock *lock, enum fg_lock_rank rank)
{
	fg_spinlock_init(&lock->lock, rank);
	fg_store_relaxed(&lock->shut, 0);
	fg_store_relaxed(&lock->sides, NULL);
}
