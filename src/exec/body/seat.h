/* Seat: under a policy that places, a kernel thread of the pool is bound to the PU of its worker's leaf (floor: exec;
 * called by binding.c, chores.c, idle.c, loop.c, dock.c, crews.c, workers.c, monitor.c, spare.c, board.c, online.c and
 * grant.c; by libc/children.c; set up by team/boot/start.c).
 *
 * The seat belongs to the kernel thread. The worker that it carries holds the notes about it (`bound`), and of a ride
 * the head does. While it has a seat, only the kernel thread itself sets its mask. Kernel threads of threads of
 * the program have no seat, because the program sees and sets their masks. Where a member has set the mask of its
 * kernel thread, that is the user's word, and the kernel thread is left alone. The program never sees a seat: see
 * libc/children.c.
 *
 * Where another program shares the PU, the seat becomes the smallest level around it that has room, and the leaf again
 * once the PU no longer counts as shared. grant/cpu_share.c doubles the time until then where the next try fails
 * soon.
 *
 * Each declaration tells its callers: the owner, perhaps in the preemption handler or under a bucket of the parking
 * lot; the monitor; or any thread. */
#pragma once
#include <stdbool.h>

#include "machine/cpuset.h"

struct fg_worker;

/* False: no kernel thread gets a seat. */
extern bool fg_seat_on;

/* The owner calls these inside the runtime, perhaps in the preemption handler or with a bucket of the parking lot
 * locked. It has a new leaf, or its seat was taken away: it sits down, unless its thread keeps it off
 * (FG_PLACE_NONE). */
void fg_seat_take(struct fg_worker *worker);
void fg_seat_keep_slow(struct fg_worker *worker);
static inline void
fg_seat_keep(struct fg_worker *worker)
{
	if (__builtin_expect(fg_seat_on, 0))
		fg_seat_keep_slow(worker);
}
/* The worker has been given another leaf (move/exchange.c), or is told to ride. */
void fg_seat_change(struct fg_worker *worker);
/* The PU counts as shared with another program, or no longer. */
void fg_seat_share(struct fg_worker *worker, bool shared);
/* The caller's kernel thread has the program's mask, until its worker sits down again. */
void fg_seat_leave(struct fg_worker *worker);
/* The worker loses its kernel thread. The caller is the owner, or no kernel thread runs the worker at the moment. */
void fg_seat_forget(struct fg_worker *worker);
/* The mask that the caller's kernel thread has for the program. Any thread may ask, inside or outside, and so may one
 * without an identity. False: it is not known. */
bool fg_seat_mask(struct fg_cpuset *mask);
/* A member, inside so that it stays on this kernel thread, sets the mask of its kernel thread, which is left alone from
 * now on. 0, or -1 and errno. */
int fg_seat_set_mask(struct fg_worker *worker, size_t size, const void *mask);
/* The monitor calls this. The mask of the process has changed: seats are looked at again. */
void fg_seat_mask_of_process(const struct fg_cpuset *mask);
/* The mask of the worker's kernel thread is that of its seat, so it does not tell what the user has set. The monitor
 * asks this of any worker, as a hint. */
bool fg_seat_is(const struct fg_worker *worker, const struct fg_cpuset *mask);
