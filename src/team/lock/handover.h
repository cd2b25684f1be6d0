/* Handover: a contended lock goes from waiter to waiter, on machines with more PUs than one cache has (floor: team;
 * called by lock.c, inside).
 *
 * Each PU has a slot in a table, in the order of the machine's tree. A waiter that spins stores the lock's address in
 * the slot of its PU. The thread that gives the lock back hands it to the next such slot, with one compare-and-swap.
 * The word of the lock stays 2 meanwhile. Eight slots share a cache line, so the next waiter mostly has the same
 * cache, and finds out by a transfer within that.
 *
 *     slot = 0        no waiter
 *          = lock     a waiter of this PU spins for the lock
 *          = lock | 1 that waiter has the lock, and has not noticed yet
 *
 * Exclusion. A lock whose word is not free has one owner: a thread, or one slot with lock | 1. Only the owner's
 * compare-and-swap from its lock's address makes a slot so. So that waiter waits for this very lock, has not left, and
 * is given one lock only. It becomes the owner by a compare-and-swap from lock | 1 to 0. A waiter leaves by its own
 * compare-and-swap to 0, or as the owner. The swap to lock | 1 releases, and the one from it acquires. The one that
 * hands over does not touch the word afterwards, because the next owner may free the lock's memory.
 *
 * A waiter without a PU. The kernel may have taken the PU of the waiter that is given the lock. So others that spin
 * take over what lies in a slot: after LATE_TURNS, and before they park. Of all of them one compare-and-swap succeeds.
 * The waiter that finds its slot empty waits anew, or parks.
 *
 * No waiter is forgotten. Each waiter looks at the word, first and then at each GLANCE_TURNS turns. If the word is free
 * the waiter takes it, with 2. If it is 1 the waiter makes it 2, so the owner comes to fg_handover_pass. An owner that
 * sees no waiter there makes the word free, and the next look takes it. A waiter that spins no more parks as lock.c
 * tells.
 *
 * Fairness. The sweep over the slots goes up and begins again at the end. So each slot gets the lock once in a turn of
 * the machine, and the lock leaves a cache after as many owners as that has PUs. Where the sweep leaves a line of
 * slots, one parked waiter is woken. It spins longer than a new one, so that the sweep can come to it. New threads do
 * not come between, because the word is never free while the lock is handed over.
 *
 * Two locks may share a row of the table, at no cost but time. */
#pragma once
#include "team/lock/lock.h"

enum fg_handover {
	FG_HANDED_TO_NONE, /* the caller still has the lock */
	FG_HANDED_NEAR,	   /* to a waiter further up in the same line of slots */
	FG_HANDED_ON,	   /* elsewhere */
};

/* Is the lock handed over on this machine? */
bool fg_handover_used(void);
/* Waits for a lock. False: the caller does not have it, and must park. `woken`: it was parked before. */
bool fg_handover_wait(struct fg_lock *lock, bool woken);
/* The owner gives a lock to a waiter. It must not touch the lock any more, if one took it. */
enum fg_handover fg_handover_pass(struct fg_lock *lock);
/* In the child of a fork: no waiter of the parent waits. */
void fg_handover_after_fork(void);
