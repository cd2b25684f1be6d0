/* Parking lot: where threads wait for a word of memory, outside the word (floor: exec; called by team and gomp).
 *
 * Works for every caller: a member of a team is switched out and its worker goes on with something else; a pthread of
 * the program that has no worker sleeps in the kernel. The words themselves stay as small as the ABI has them (4-byte
 * locks).
 *
 * Usual shape of a wait:
 *     struct fg_spin spin = FG_SPIN_INIT;
 *     while (!ready(word))
 *         if (!fg_spin(&spin))
 *             fg_park(word, still_waiting, arg);
 * and of its end:   make ready(word) true;  fg_unpark(word, UINT_MAX); */
#pragma once
#include "exec/loop/idle.h"
#include "exec/thread/worker.h"

/* Waits at `address` until unparked, unless still(arg) is false: it is evaluated under the lot's lock, after this
 * caller has become visible to fg_unpark, so a waker that first changes the state and then unparks is never missed. May
 * return early: test the condition again. The caller is inside the runtime (fg_enter). */
void fg_park(const void *address, bool (*still)(void *arg), void *arg);

/* Wakes up to `count` threads parked at `address`, first come first served; returns how many. Contains a full fence,
 * then costs one load if nobody is parked near. */
unsigned fg_unpark(const void *address, unsigned count);

struct fg_spin {
	struct fg_patience patience;
};
#define FG_SPIN_INIT {{0, 0}}
/* One turn of a spinning wait: pauses and returns true; or false at once if the worker has something else to run, or
 * the spin limit (OMP_WAIT_POLICY, GOMP_SPINCOUNT) is over: then park. */
bool fg_spin(struct fg_spin *spin);

/* Lets other runnable threads of this worker go first, unborn members included; returns at once if there are none. */
void fg_yield(void);

/* In the child of a fork. */
void fg_park_after_fork(void);
