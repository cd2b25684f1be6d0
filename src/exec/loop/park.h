/* Parking lot: threads wait for a word of memory in lists outside the word (floor: exec; called by team, spare.c,
 * rejoin.c and kernel_team.c).
 *
 * It works for every thread that has an identity. The lot switches out a thread that a worker carries, and the worker
 * goes on with something else. A thread sleeps in the kernel while its worker carries nothing: a member of a kernel
 * team, or a thread of the program outside of regions. The words themselves stay as small as the ABI has them (4-byte
 * locks).
 *
 * Usual shape of a wait:
 *
 *     struct fg_spin spin = FG_SPIN_INIT;
 *     while (!ready(word))
 *         if (!fg_spin(&spin))
 *             fg_park(word, still_waiting, arg);
 *
 * The other side makes ready(word) true, and then calls fg_unpark(word, UINT_MAX).
 *
 *     park.on of an identity == the address for which it waits in its bucket    (under the lock of the bucket)
 *
 * Only fg_unpark may come from the preemption handler, or from the monitor. fg_yield may come without an identity. */
#pragma once
#include "exec/loop/idle.h"

struct fg_worker;

/* Waits at `address` until unparked, unless still(arg) is false. still(arg) runs under the lot's lock, after this
 * caller has become visible to fg_unpark. So no wait misses a waker that first changes the state and then unparks. The
 * function may return early: test the condition again. The caller is inside the runtime (fg_enter), and holds no lock.
 * It may step out first, to make a donor. Another kernel thread may carry it afterwards. still(arg) may take locks of a
 * rank above PARK, but must not wait, park or unpark. */
void fg_park(const void *address, bool (*still)(void *arg), void *arg);

/* Wakes up to `count` threads that are parked at `address`, in the order of their arrival. Returns their number. It
 * contains a full fence, and then costs one load if no thread is parked near. The caller is inside the runtime, perhaps
 * in the preemption handler, or it is the monitor while it holds a worker's owner. It holds no lock of rank PARK or
 * higher. */
unsigned fg_unpark(const void *address, unsigned count);

struct fg_spin {
	struct fg_patience patience;
};
#define FG_SPIN_INIT                                                                                                   \
	{                                                                                                              \
		{                                                                                                      \
			0, 0, 0, false, false                                                                          \
		}                                                                                                      \
	}
/* One turn of a spinning wait: pauses and returns true. It returns false if the worker has something else to run, or if
 * the spin limit is over (OMP_WAIT_POLICY, GOMP_SPINCOUNT). Then the caller must park. */
bool fg_spin(struct fg_spin *spin);
/* A turn of such a wait that does nothing but pause. False: it is time for a whole turn, in which the caller may step
 * out, call the program's malloc, and go on at another kernel thread. */
bool fg_spin_pauses(struct fg_spin *spin);

/* Lets other runnable threads of this worker go first, unborn members included. Returns at once if there are none. The
 * caller is inside, without a lock, and may go on at another kernel thread. A caller without an identity goes on. */
void fg_yield(void);

/* In the child of a fork. */
void fg_park_after_fork(void);
