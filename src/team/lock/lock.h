/* Lock: the locks that programs see: omp_lock_t, nest locks, the locks of critical and atomic (floor: team; called by
 * omp/lock.c and gomp/critical.c, inside or outside, on any pthread, without a lock of the runtime and in no signal
 * handler). A call that waits may return on another kernel thread.
 *
 * A plain lock is one word of 4 bytes that the program gives: 0 = free, 1 = held, 2 = held, and a waiter may be
 * parked. Zeroed memory is a free lock. The parking lot keeps the waiters, at the word's address.
 *
 * On a machine of several caches the holder hands a contended lock to a waiter that spins (handover.h). Only a lock
 * with the word 2 is handed over, so the next holder comes to fg_lock_wake, too.
 *
 * No wake-up is lost. A waiter parks only if it sees 2 under the lot's lock. The holder makes the word 0 before it
 * looks into the lot. A woken waiter takes the lock with 2, because others may still be parked. The price is a look
 * into an empty lot now and then.
 *
 * With FGOMP_STUCK the runtime notes holders; where that is off, the notes cost nothing. A free lock is then 3, and
 * the inline functions below take no lock with 3. fg_lock_slow makes it 2, so that the holder gives it back through
 * fg_lock_wake. The first holder of zeroed memory is not noted, until another thread waits for the lock.
 *
 * A nest lock is 16 bytes: a plain lock, the id of the owner, and how often that has set it. A task's id is never given
 * twice, because two tasks with one id could both own a lock. A thread's id is the address of its identity. */
#pragma once
#include "exec/thread/identity.h"
#include "team/inside.h"

struct fg_lock {
	struct fg_atomic_u32 state;
};
struct fg_nest_lock {
	struct fg_lock lock;
	uint32_t depth;		    /* only the owner touches it */
	struct fg_atomic_u64 owner; /* 0: none; others compare it with their own id */
};
_Static_assert(sizeof(struct fg_lock) == 4 && sizeof(struct fg_nest_lock) == 16, "sizes of the ABI");

#define FG_LOCK_NOTED_FREE 3

/* Notes that the caller has just taken the lock, or has given it back. NULL: holders are not noted. */
extern void (*fg_lock_note)(struct fg_lock *lock, bool taken);

FG_ANYWHERE void fg_lock_slow(struct fg_lock *lock);
FG_ANYWHERE void fg_lock_wake(struct fg_lock *lock);
/* True: the caller has the lock all the same. */
FG_ANYWHERE bool fg_lock_test_failed(struct fg_lock *lock);

FG_ANYWHERE static inline void
fg_lock_init(struct fg_lock *lock)
{
	fg_store_relaxed(&lock->state, fg_lock_note ? FG_LOCK_NOTED_FREE : 0);
}

static inline bool
fg_lock_is_free(uint32_t state)
{
	return state == 0 || state == FG_LOCK_NOTED_FREE;
}

FG_ANYWHERE static inline void
fg_lock_set(struct fg_lock *lock)
{
	uint32_t free = 0;
	if (__builtin_expect(!fg_cas_acquire(&lock->state, &free, 1), 0))
		fg_lock_slow(lock);
	fg_happens_after(lock);
}

FG_ANYWHERE static inline void
fg_lock_unset(struct fg_lock *lock)
{
	uint32_t held = 1;
	fg_happens_before(lock);
	if (__builtin_expect(!fg_cas_acq_rel(&lock->state, &held, 0), 0))
		fg_lock_wake(lock);
}

FG_ANYWHERE static inline bool
fg_lock_test(struct fg_lock *lock)
{
	uint32_t free = 0;
	if (!fg_cas_acquire(&lock->state, &free, 1) && !fg_lock_test_failed(lock))
		return false;
	fg_happens_after(lock);
	return true;
}

FG_ANYWHERE void fg_nest_lock_init(struct fg_nest_lock *nest);
FG_ANYWHERE void fg_nest_lock_set(struct fg_nest_lock *nest, uint64_t id);
FG_ANYWHERE void fg_nest_lock_unset(struct fg_nest_lock *nest);
/* Returns the new depth, or 0 if another owner has the lock. */
FG_ANYWHERE int fg_nest_lock_test(struct fg_nest_lock *nest, uint64_t id);

/* Owners of nest locks: the caller's current task (OpenMP 3.0 and later), or its thread (2.5). Programs never mix
 * the two on one lock. 0 < owner. */
FG_ANYWHERE uint64_t fg_lock_owner_task(void);
FG_ANYWHERE uint64_t fg_lock_owner_thread(void);
