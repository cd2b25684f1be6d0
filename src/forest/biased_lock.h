/* Biased lock: each of many threads enters often and changes only what is its own; seldom a thread locks all of them
 * out (floor: forest; used by live.c). To enter costs two stores and a load, all on the thread's own line. To lock
 * costs a fence in all threads of the process and a look at each of them.
 *
 * The fence interrupts all PUs. So while threads lock often, the lock is *even*: those that enter make a fence of their
 * own, some nanoseconds each, and the one that locks interrupts nobody.
 *
 * A side is the word of one of those threads. At any time one thread at most may enter by it: the owner of a worker
 * does. Between enter and leave it does not switch, and waits for nothing. */
#pragma once
#include "base/spinlock.h"
#include "platform/membarrier.h"

struct fg_biased_side {
	struct fg_atomic_u32 inside; /* 1: its thread has entered, or is about to find out that it may not */
	unsigned turns;		     /* entries while the lock was even */
	struct fg_biased_side *next;
};

enum {
	FG_BIASED_SHUT = 1, /* a thread has locked, or is about to */
	FG_BIASED_EVEN = 2
};

struct fg_biased_lock {
	struct fg_spinlock lock;
	struct fg_atomic_u32 state; /* written under the spin lock */
	struct fg_atomic_ptr sides; /* struct fg_biased_side, newest first; none leaves */
	uint64_t locked_at;	    /* the last time; under the spin lock */
};

#define FG_BIASED_LOCK_INIT(rank) {FG_SPINLOCK_INIT(rank), {0}, {NULL}, 0}

/* The side is all zero, and nobody has entered by it. It takes no lock, because workers are made outside of the
 * runtime. */
void fg_biased_add(struct fg_biased_lock *lock, struct fg_biased_side *side);
void fg_biased_lock(struct fg_biased_lock *lock);
void fg_biased_unlock(struct fg_biased_lock *lock);
/* In the child of a fork: nobody is inside, and there are no sides. */
void fg_biased_after_fork(struct fg_biased_lock *lock, enum fg_lock_rank rank);

bool fg_biased_enter_slow(struct fg_biased_lock *lock, struct fg_biased_side *side);
/* NULL: the caller has no side, and takes the lock. Returns what fg_biased_leave wants. */
static inline bool
fg_biased_enter(struct fg_biased_lock *lock, struct fg_biased_side *side)
{
	if (side) {
		assert(fg_load_stable(&side->inside) == 0);
		fg_store_relaxed(&side->inside, 1);
		fg_fence_light();
		if (__builtin_expect(!fg_load_acquire(&lock->state), 1))
			return true;
	}
	return fg_biased_enter_slow(lock, side);
}
static inline void
fg_biased_leave(struct fg_biased_lock *lock, struct fg_biased_side *side, bool entered)
{
	assert(entered ? fg_load_stable(&side->inside) == 1 : fg_spinlock_held(&lock->lock));
	if (__builtin_expect(entered, 1))
		fg_store_release(&side->inside, 0);
	else
		fg_spinlock_unlock(&lock->lock);
}
