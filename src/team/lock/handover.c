/* Handover (floor: team): see handover.h. */
#include "team/lock/handover.h"
#include "base/carrier.h"
#include "exec/ground/options.h"
#include "exec/loop/park.h"
#include "exec/thread/worker.h"
#include "platform/memory.h"
#include <string.h>

#define MOST_PUS 8	 /* machines of so many PUs have one cache, or nearly */
#define ROWS 32		 /* locks that are waited for at a time, more or less */
#define LINE 8		 /* slots in a cache line */
#define OUTSIDERS 16	 /* slots of threads of the program outside of regions: their workers have no PU */
#define GLANCE_TURNS 64	 /* some microseconds */
#define BRIEF_TURNS 8	 /* as in lock.c */
#define WOKEN_TURNS 2048 /* about a turn of a large machine */
#define LATE_TURNS 1024	 /* a waiter that has spun so long looks for a slot that was given to a thread without a PU */

/* The table is there from the first wait on. NULL: none yet, or there was no memory. */
static struct fg_atomic_ptr table;

bool
fg_handover_used(void)
{
	return fg_exec_options.n_pus > MOST_PUS;
}

static unsigned
row_slots(void)
{
	return (fg_exec_options.n_pus + LINE - 1) / LINE * LINE + OUTSIDERS;
}

static uint64_t
mix(const void *address)
{
	return (uint64_t)(uintptr_t)address * UINT64_C(0x9e3779b97f4a7c15) >> 32;
}

static struct fg_atomic_u64 *
row_of(struct fg_atomic_u64 *slots, const struct fg_lock *lock)
{
	return slots + mix(lock) % ROWS * row_slots();
}

static struct fg_atomic_u64 *
make(void)
{
	size_t bytes = sizeof(struct fg_atomic_u64) * ROWS * row_slots();
	struct fg_atomic_u64 *slots = fg_memory_aligned(64, bytes);
	void *other = NULL;
	if (!slots)
		return NULL;
	memset(slots, 0, bytes);
	if (fg_cas_acq_rel(&table, &other, slots))
		return slots;
	fg_memory_free(slots);
	return other;
}

static unsigned
slot_of(const struct fg_identity *self)
{
	struct fg_runqueue *leaf = self->worker->carries ? fg_worker_leaf(self->worker) : NULL;
	return leaf ? leaf->first_pu : row_slots() - OUTSIDERS + (unsigned)(mix(self) % OUTSIDERS);
}

static uint64_t
given(const struct fg_lock *lock)
{
	return (uintptr_t)lock | 1; /* a lock lies at a multiple of 4 */
}

/* One look at the word. True: the caller has the lock. The word is 2 then, because others may wait. */
static bool
look(struct fg_lock *lock)
{
	uint32_t state = fg_load_relaxed(&lock->state);
	if (state == 1)
		fg_cas_relaxed(&lock->state, &state, 2);
	else if (state != 2)
		return fg_cas_acquire(&lock->state, &state, 2);
	return false;
}

/* Takes a lock that was given to this slot. False: a waiter whose PU has not been taken away was sooner. */
static bool
take_given(struct fg_atomic_u64 *slot, const struct fg_lock *lock)
{
	uint64_t mine = given(lock);
	return fg_load_relaxed(slot) == mine && fg_cas_acquire(slot, &mine, 0);
}

/* The kernel may run something else on the PU of the waiter that has the lock now. So one that spins takes it over. */
static bool
take_over(struct fg_atomic_u64 *row, const struct fg_lock *lock)
{
	for (unsigned i = 0, n = row_slots(); i < n; i++)
		if (take_given(&row[i], lock))
			return true;
	return false;
}

/* The caller spins no more. True: it has the lock. */
static bool
leave(struct fg_atomic_u64 *slot, struct fg_atomic_u64 *row, const struct fg_lock *lock)
{
	uint64_t waits_for = (uintptr_t)lock;
	if (fg_cas_acq_rel(slot, &waits_for, 0))
		return take_over(row, lock);
	return take_given(slot, lock);
}

bool
fg_handover_wait(struct fg_lock *lock, bool woken)
{
	const struct fg_identity *self = fg_self();
	struct fg_atomic_u64 *slots = fg_load_acquire(&table), *row, *slot;
	uint64_t none = 0;
	/* A rider's turn may come late, and all others would wait for it. */
	if (self->worker->ride.next || !(slots || (slots = make())))
		return false;
	row = row_of(slots, lock);
	slot = row + slot_of(self);
	if (!fg_cas_relaxed(slot, &none, (uintptr_t)lock))
		return false; /* another thread of this PU waits there */
	struct fg_spin spin = FG_SPIN_INIT;
	unsigned sure = woken ? WOKEN_TURNS : BRIEF_TURNS;
	for (unsigned turns = 0;; turns++) {
		if (turns % GLANCE_TURNS == 0 && look(lock)) {
			fg_store_relaxed(slot, 0);
			return true;
		}
		if (fg_load_relaxed(slot) != (uintptr_t)lock)
			return take_given(slot, lock);
		if (turns % LATE_TURNS == LATE_TURNS - 1 && take_over(row, lock)) {
			fg_store_relaxed(slot, 0);
			return true;
		}
		if (turns < sure)
			fg_carrier->pause();
		else if (!fg_spin(&spin))
			return leave(slot, row, lock);
	}
}

enum fg_handover
fg_handover_pass(struct fg_lock *lock)
{
	struct fg_atomic_u64 *slots = fg_load_acquire(&table);
	if (!slots)
		return FG_HANDED_TO_NONE;
	struct fg_atomic_u64 *row = row_of(slots, lock);
	unsigned n = row_slots(), own = slot_of(fg_self()), next = own;
	for (unsigned i = 0; i < n; i++) {
		next = next + 1 < n ? next + 1 : 0;
		uint64_t waits_for = (uintptr_t)lock;
		if (fg_load_relaxed(&row[next]) == waits_for && fg_cas_acq_rel(&row[next], &waits_for, given(lock)))
			return next > own && next / LINE == own / LINE ? FG_HANDED_NEAR : FG_HANDED_ON;
	}
	return FG_HANDED_TO_NONE;
}

void
fg_handover_after_fork(void)
{
	struct fg_atomic_u64 *slots = fg_load_relaxed(&table);
	if (slots)
		memset(slots, 0, sizeof *slots * ROWS * row_slots());
}
