/* Lock: waiting for locks that programs see, and nest locks (floor: team): see lock.h.
 *
 * The state of a plain lock is 0: free; 1: held; 2: held, and a waiter may be parked; or FG_LOCK_NOTED_FREE: free where
 * fg_lock_note is set. A nest lock's owner is a task or a thread, as the version of the routine wants it (omp/lock.c).
 * It alone stores its id there, and takes it away before it frees the plain lock. So a task or a thread that finds its
 * own id is the owner. */
#include "team/lock/lock.h"
#include "base/carrier.h"
#include "exec/loop/park.h"
#include "exec/roots/self.h"
#include "team/lock/handover.h"
#include "team/tasks/task.h"

/* A program may replace malloc by a function that uses locks, and a policy may call malloc inside the runtime. So
 * each of these functions leaves the caller inside or outside, as it was. */

/* A lock is most often held for less time than a switch costs, by a thread on another PU. So a waiter looks a few
 * times more even where its worker has others to run. */
#define BRIEF_TURNS 8

void (*fg_lock_note)(struct fg_lock *lock, bool taken);

static bool
spin(struct fg_spin *turns, unsigned *brief)
{
	if (*brief == BRIEF_TURNS)
		return fg_spin(turns);
	++*brief;
	fg_carrier->pause();
	return true;
}

static bool
lock_has_waiters(void *arg)
{
	struct fg_lock *lock = arg;
	return fg_load_relaxed(&lock->state) == 2;
}

static bool
take(struct fg_lock *lock)
{
	uint32_t free = fg_load_relaxed(&lock->state);
	return fg_lock_is_free(free) && fg_cas_acquire(&lock->state, &free, fg_lock_note ? 2 : 1);
}

/* True: the caller has the lock. */
static bool
spin_for(struct fg_lock *lock)
{
	struct fg_spin turns = FG_SPIN_INIT;
	unsigned brief = 0;
	bool taken;
	do
		taken = take(lock);
	while (!taken && spin(&turns, &brief));
	return taken;
}

void
fg_lock_slow(struct fg_lock *lock)
{
	bool inside = fg_enter_again(fg_self_or_root());
	bool handed = fg_handover_begin(), taken = handed ? fg_handover_wait(lock, false) : spin_for(lock);
	while (!taken && !fg_lock_is_free(fg_exchange_acquire(&lock->state, 2))) {
		fg_park(lock, lock_has_waiters, lock);
		taken = handed && fg_handover_wait(lock, true);
	}
	if (__builtin_expect(fg_lock_note != NULL, 0))
		fg_lock_note(lock, true);
	fg_leave_again(fg_self(), inside);
}

/* Gives the lock to a waiter that spins, or frees it. A lock that is given has the word 2, because others may be
 * parked. */
static enum fg_handover
hand_over(struct fg_lock *lock)
{
	for (;;) {
		uint32_t held = 2, sole = 1;
		enum fg_handover handed = fg_handover_pass(lock);
		if (handed != FG_HANDED_TO_NONE)
			return handed;
		fg_cas_relaxed(&lock->state, &held, 1);
		fg_fence_seq_cst(); /* it also releases the lock */
		if (fg_handover_waits(lock))
			fg_cas_relaxed(&lock->state, &sole, 2);
		else if (fg_cas_relaxed(&lock->state, &sole, fg_lock_note ? FG_LOCK_NOTED_FREE : 0) || sole != 2)
			return FG_HANDED_TO_NONE;
	}
}

void
fg_lock_wake(struct fg_lock *lock)
{
	enum fg_handover handed = FG_HANDED_TO_NONE;
	/* A thread that the runtime has not met gets a root here. For that the program's malloc is called, which may
	 * want this very lock: so that is free first. Waiters that spin see it at their next glance. */
	bool free = !fg_self() || (!fg_handover_used() && !fg_lock_note);
	if (free)
		fg_exchange_acq_rel(&lock->state, 0);
	bool inside = fg_enter_again(fg_self_or_root());
	if (__builtin_expect(fg_lock_note != NULL, 0))
		fg_lock_note(lock, false);
	if (!free && fg_handover_used())
		handed = hand_over(lock);
	else if (!free)
		fg_exchange_acq_rel(&lock->state, FG_LOCK_NOTED_FREE);
	if (handed != FG_HANDED_NEAR)
		fg_unpark(lock, 1);
	fg_leave_again(fg_self(), inside);
}

/* Programs poll. Let the holder, or a member that is not born yet, go on. */
bool
fg_lock_test_failed(struct fg_lock *lock)
{
	bool inside = fg_enter_again(fg_self_or_root());
	bool taken = __builtin_expect(fg_lock_note != NULL, 0) && take(lock);
	if (taken)
		fg_lock_note(lock, true);
	else
		fg_yield();
	fg_leave_again(fg_self(), inside);
	return taken;
}

void
fg_nest_lock_init(struct fg_nest_lock *nest)
{
	fg_lock_init(&nest->lock);
	fg_store_relaxed(&nest->owner, 0);
	nest->depth = 0;
}

void
fg_nest_lock_set(struct fg_nest_lock *nest, uint64_t id)
{
	if (fg_load_relaxed(&nest->owner) == id) {
		nest->depth++;
		return;
	}
	fg_lock_set(&nest->lock);
	fg_store_relaxed(&nest->owner, id);
	nest->depth = 1;
}

void
fg_nest_lock_unset(struct fg_nest_lock *nest)
{
	if (--nest->depth != 0)
		return;
	fg_store_relaxed(&nest->owner, 0);
	fg_lock_unset(&nest->lock);
}

int
fg_nest_lock_test(struct fg_nest_lock *nest, uint64_t id)
{
	if (fg_load_relaxed(&nest->owner) == id)
		return (int)++nest->depth;
	if (!fg_lock_test(&nest->lock))
		return 0;
	fg_store_relaxed(&nest->owner, id);
	nest->depth = 1;
	return 1;
}

uint64_t
fg_lock_owner_task(void)
{
	static struct fg_atomic_u64 last;
	struct fg_thread *thread = &fg_self_or_root()->thread;
	uint64_t *owner = thread->task ? &thread->task->lock_owner : &thread->lock_owner;
	if (*owner == 0)
		*owner = fg_add_relaxed(&last, 1) + 1;
	return *owner;
}

uint64_t
fg_lock_owner_thread(void)
{
	return (uintptr_t)fg_self_or_root();
}
