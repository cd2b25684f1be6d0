/* Owners of locks (floor: team; see owner.h). */
#include "team/lock/owner.h"
#include "base/log.h"

/* A lock's word has no room for its owner, so a table holds the locks that are held. Each lies at one of the PROBES
 * places that follow the hash of its address. Only the holder of a lock enters it. A lock that finds no place is not
 * checked. */
#define PLACES 4096
#define PROBES 64

static struct held {
	struct fg_atomic_ptr lock;
	struct fg_atomic_u64 owner;
} table[PLACES];

static struct held *
place(const struct fg_lock *lock, unsigned probe)
{
	return &table[(((uintptr_t)lock >> 2) * 0x9e3779b1u / 64 + probe) % PLACES];
}

static struct held *
find(const struct fg_lock *lock)
{
	for (unsigned i = 0; i < PROBES; i++)
		if (fg_load_acquire(&place(lock, i)->lock) == lock)
			return place(lock, i);
	return NULL;
}

/* The owner's number goes first: the next lock at this place may be looked at before its owner is written. */
static void
leave(struct held *held)
{
	fg_store_relaxed(&held->owner, 0);
	fg_store_release(&held->lock, NULL);
}

bool
fg_lock_owner_took(struct fg_lock *lock)
{
	for (unsigned i = 0; i < PROBES; i++) {
		void *expected = NULL;
		if (!fg_cas_acq_rel(&place(lock, i)->lock, &expected, lock))
			continue;
		fg_store_relaxed(&place(lock, i)->owner, fg_lock_owner_task());
		break;
	}
	return true;
}

bool
fg_lock_owner_forgets(struct fg_lock *lock)
{
	struct held *held = find(lock);
	if (held)
		leave(held);
	return true;
}

bool
fg_lock_owner_gives(struct fg_lock *lock)
{
	struct held *held = find(lock);
	if (!held && fg_lock_is_free(fg_load_relaxed(&lock->state)))
		fg_error("omp_unset_lock: nobody holds the lock at %p; only its owner may unset it; ignored",
			 (void *)lock);
	else if (held && fg_load_relaxed(&held->owner) != fg_lock_owner_task())
		fg_error("omp_unset_lock: the lock at %p is held by another task; only its owner may unset it; it is "
			 "unset all the same",
			 (void *)lock);
	return fg_lock_owner_forgets(lock);
}

bool
fg_nest_lock_owner_gives(struct fg_nest_lock *lock)
{
	uint64_t owner = fg_load_relaxed(&lock->owner);
	if (owner && (owner == fg_lock_owner_task() || owner == fg_lock_owner_thread()))
		return true;
	fg_error("omp_unset_nest_lock: %s the lock at %p; only its owner may unset it; ignored",
		 owner ? "another task holds" : "nobody holds", (void *)lock);
	return false;
}

static struct held *
find_own(const struct fg_lock *lock)
{
	uint64_t own = fg_lock_owner_task();
	for (unsigned i = 0; i < PROBES; i++) {
		struct held *held = place(lock, i);
		if (fg_load_acquire(&held->lock) == lock && fg_load_relaxed(&held->owner) == own)
			return held;
	}
	return NULL;
}

/* A pthread that the runtime has not met frees the lock before this note. By then another thread may have taken it and
 * may stand in the table. So find_own looks for the caller's own entry. */
void
fg_lock_owner_note(struct fg_lock *lock, bool taken)
{
	if (taken) {
		fg_lock_owner_took(lock);
		return;
	}
	struct held *held = find_own(lock);
	if (held)
		leave(held);
}

uint64_t
fg_lock_owner_of(const struct fg_lock *lock)
{
	struct held *held = find(lock);
	return held ? fg_load_relaxed(&held->owner) : 0;
}
