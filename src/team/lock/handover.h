/* Handover: a contended lock goes from waiter to waiter, on machines of several caches (floor: team; called by
 * lock.c, inside and without a lock of the runtime, and by boot/process_fork.c).
 *
 * Each PU has a slot, a cache line of its own, in which a waiter that spins finds the lock. The PUs of a cache are a
 * group. A lock has a row of words, one for each group, with a bit for each PU that waits. Locks may share a row, at no
 * cost but time. The thread that gives the lock back looks for the next waiter in its own group, in the order of the
 * PUs, and goes round there ROUNDS times at most. Then the lock goes to the next group that has a waiter. The word of
 * the lock stays 2 meanwhile.
 *
 *     slot = 0        no waiter
 *          = lock     a waiter of this PU spins for the lock
 *          = lock | 1 that waiter has the lock, and has not noticed yet
 *
 * Exclusion. A lock whose word is not free has one owner: a thread, or one slot with lock | 1. Only the owner's
 * compare-and-swap from its lock's address makes a slot so. So that waiter waits for this very lock, has not left, and
 * is given one lock only. It becomes the owner by a compare-and-swap from lock | 1 to 0. A waiter leaves by its own
 * compare-and-swap to 0, or as the owner. The swap to lock | 1 releases, and the one from it acquires. The thread that
 * hands over does not touch the word afterwards, because the next owner may free the lock's memory.
 *
 * A waiter leaves before it does anything but pause: before it parks, makes a donor, lets others have its PU, or has
 * chores (fg_spin_pauses). So a lock is given only to a waiter that is about to see it. The kernel may have taken that
 * waiter's PU all the same. Then others that have spun for LATE_TURNS may take the lock over, if they see that for
 * the second time. Of all of them one compare-and-swap succeeds. (A waiter loses its turn by that. With 256
 * waiters each spins for LATE_TURNS, so without the second condition some waited for ten rounds.)
 *
 * No waiter is forgotten. The waiter fills its slot and sets its bit, makes a full fence, and looks at the word. The
 * owner that finds no waiter makes the word 1, makes a full fence, and looks for waiters again. If it finds one it
 * begins again, with 2. Else it frees the lock by a compare-and-swap from 1. So either the owner finds the waiter, or
 * the waiter sees 1 or a free word. It makes 1 to 2, and the owner begins again. A free word it takes, with 2.
 *
 * The bits are hints: the owner of one lock may clear a bit while a waiter of the PU comes for another. So a waiter
 * does all this again every GLANCE_TURNS.
 *
 * Fairness. Once the sweep has come to a group, it meets each waiter there before it leaves, because it begins at the
 * lowest PU and goes round at least once. So while a waiter spins, each other PU has the lock ROUNDS times at most, if
 * owners give it back on the PU where they took it. New
 * threads do not come between, because the word is free only where the owner found no waiter. Where the sweep leaves a
 * group, one parked waiter is woken. It spins longer than a new one, so that the sweep can come to it. */
#pragma once
#include "team/lock/lock.h"

enum fg_handover {
	FG_HANDED_TO_NONE, /* the caller still has the lock */
	FG_HANDED_NEAR,	   /* to a waiter of the same group */
	FG_HANDED_ON,	   /* the group has had its rounds */
};

/* Are contended locks handed over? One load, which may be asked outside, too. */
bool fg_handover_used(void);
/* The caller must wait for a lock. It makes the slots where that has a use. The same result. */
bool fg_handover_begin(void);
/* Waits for a lock. False: the caller does not have it, and must park. `woken`: it was parked before. */
bool fg_handover_wait(struct fg_lock *lock, bool woken);
/* The owner gives a lock to a waiter. It must not touch the lock any more, if one took it. */
enum fg_handover fg_handover_pass(struct fg_lock *lock);
/* A waiter spins for the lock. */
bool fg_handover_waits(const struct fg_lock *lock);
/* In the child of a fork: no waiter of the parent waits. */
void fg_handover_after_fork(void);
