/* Biased lock (floor: forest): see biased_lock.h.
 *
 * Invariant: a thread has locked => no thread is inside by its side. Others may be inside together.
 *
 * Proof. Dekker's protocol. While the lock is biased, the fence is on one side only:
 *
 *     enters: store inside = 1; light fence; load state
 *     locks:  store state = SHUT; heavy fence; for each side: wait until inside == 0
 *
 * Either the thread that enters sees SHUT, or the one that locks sees `inside`, and waits for the store of 0. The
 * spin lock is held from before the store of SHUT until after it is taken back. So one that sees SHUT waits for the
 * other, and is alone then. A thread that enters and sees EVEN makes a full fence, and loads the state again. The one
 * that locks an even lock makes a full fence, too.
 *
 * The lock becomes even under a thread that locks by the heavy fence, and has stored EVEN before. A thread whose load
 * came earlier was inside at the fence, so this thread waits for it. All that enter later see EVEN, until the state is
 * stored again. It becomes biased under the spin lock, so the next thread that locks sees that, and makes the heavy
 * fence.
 *
 * Order of memory. Data written inside are released by the store of 0, and the one that locks acquires it there. If
 * its fence comes after the light one, it reads that 1 or what was stored later. It releases its own data with
 * the state. One that enters later has made its light fence after the heavy one. So it reads that state and acquires,
 * or SHUT, and acquires by the spin lock. Sides may come meanwhile: each is in the list before its thread enters. A
 * side that is not in the list at the heavy fence enters later, because its maker's exchange of the list comes before
 * it. */
#include "forest/biased_lock.h"

#include "base/carrier.h"

/* A thread is inside for some nanoseconds, unless the kernel has taken its PU. */
#define SPIN_TURNS 1000
#define NAP_NS 50000

#define OFTEN_NS 20000000 /* locked twice within this time, the lock becomes even */
#define TURNS 256	  /* after so many entries by one side: is that time over? */

void
fg_biased_add(struct fg_biased_lock *lock, struct fg_biased_side *side)
{
	assert(!fg_load_stable(&side->inside) && side->turns == 0);
	void *first = fg_load_relaxed(&lock->sides);
	do
		side->next = first;
	while (!fg_cas_acq_rel(&lock->sides, &first, side));
}

/* The caller is inside. */
static void
turn(struct fg_biased_lock *lock, struct fg_biased_side *side)
{
	assert(fg_load_stable(&side->inside) == 1);
	if (++side->turns < TURNS || !fg_spinlock_trylock(&lock->lock))
		return;
	side->turns = 0;
	if (fg_carrier->now() - lock->locked_at > OFTEN_NS)
		fg_store_release(&lock->state, 0);
	fg_spinlock_unlock(&lock->lock);
}

bool
fg_biased_enter_slow(struct fg_biased_lock *lock, struct fg_biased_side *side)
{
	if (side && fg_load_relaxed(&lock->state) == FG_BIASED_EVEN) {
		fg_fence_seq_cst();
		if (!(fg_load_acquire(&lock->state) & FG_BIASED_SHUT)) {
			turn(lock, side);
			return true;
		}
	}
	if (side)
		fg_store_release(&side->inside, 0);
	fg_spinlock_lock(&lock->lock);
	assert(!(fg_load_stable(&lock->state) & FG_BIASED_SHUT));
	return false;
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
	assert(!(fg_load_stable(&lock->state) & FG_BIASED_SHUT));
	uint64_t now = fg_carrier->now();
	bool was_even = fg_load_relaxed(&lock->state) == FG_BIASED_EVEN;
	bool often = lock->locked_at && now - lock->locked_at < OFTEN_NS;
	lock->locked_at = now;
	fg_store_relaxed(&lock->state, FG_BIASED_SHUT | (often ? FG_BIASED_EVEN : 0));
	if (was_even)
		fg_fence_seq_cst();
	else
		fg_fence_heavy();
	for (struct fg_biased_side *side = fg_load_acquire(&lock->sides); side; side = side->next)
		wait_for(side);
}

void
fg_biased_unlock(struct fg_biased_lock *lock)
{
	assert(fg_load_stable(&lock->state) & FG_BIASED_SHUT);
	fg_store_release(&lock->state, fg_load_relaxed(&lock->state) & FG_BIASED_EVEN);
	fg_spinlock_unlock(&lock->lock);
}

void
fg_biased_after_fork(struct fg_biased_lock *lock, enum fg_lock_rank rank)
{
	fg_spinlock_init(&lock->lock, rank);
	fg_store_relaxed(&lock->state, 0);
	fg_store_relaxed(&lock->sides, NULL);
}
