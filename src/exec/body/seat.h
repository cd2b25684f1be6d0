/* Seat: the kernel thread that carries a worker is bound to the PU of the worker's leaf, or to a level around it
 * (floor: exec; called by binding.c, chores.c, idle.c, loop.c, dock.c, crews.c, workers.c, root.c, monitor.c,
 * solitude.c, spare.c, board.c, online.c and grant.c; by libc/children.c; set up by team/boot/start.c).
 *
 * How narrow. Under a policy that places, the seat is the leaf. Under the others it is the leaf while the process has
 * its PUs for itself (watch/solitude.h). Otherwise it is the leaf's NUMA node, where the machine has several, and no
 * seat where it has one. Where another program shares the PU, the seat becomes wider for a while (level_for).
 * grant/cpu_share.c doubles that time where the next try fails soon.
 *
 * Whose. The seat belongs to the kernel thread. The worker that it carries holds the notes about it (`bound`), and of a
 * ride the head does. A worker of the pool keeps its seat between regions. A thread of the program sits in its flat
 * regions with several workers. It keeps the seat from region to region, because two system calls take longer than a
 * region. Some looks after the last one the monitor takes it away. Where a member has set the mask of its kernel
 * thread, that is the user's word, and the kernel thread is left alone. The program never sees a seat: see
 * libc/children.c.
 *
 * Each declaration tells its callers: the owner, perhaps in the preemption handler or under a bucket of the parking
 * lot; the monitor; or any thread. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "base/atomic.h"
#include "machine/cpuset.h"

struct fg_runqueue;
struct fg_worker;

/* False: no kernel thread gets a seat. */
extern bool fg_seat_on;
extern struct fg_seats {
	bool placed;			/* a policy places */
	bool nodes;			/* the machine has several NUMA nodes */
	struct fg_atomic_u32 alone;	/* the process has its PUs for itself; the monitor writes it */
	struct fg_atomic_ptr loosening; /* seat.c: the worker whose seat the monitor is about to take */
} fg_seats __attribute__((visibility("hidden")));

/* The worker's PU is shared with another program; its tries to have it again have failed for some time. */
enum fg_seat_shared { FG_SEAT_OWN, FG_SEAT_SHARED, FG_SEAT_SHARED_LONG };

/* The owner calls these inside the runtime, perhaps in the preemption handler or with a bucket of the parking lot
 * locked. It has a new leaf, or its seat was taken away: it sits down, unless its thread keeps it off
 * (FG_PLACE_NONE). */
void fg_seat_take(struct fg_worker *worker);
void fg_seat_keep_slow(struct fg_worker *worker);
static inline void
fg_seat_keep(struct fg_worker *worker)
{
	if (fg_seat_on)
		fg_seat_keep_slow(worker);
}
/* The NUMA node of the leaf; the machine, where there is no such level. Any thread may call. */
struct fg_runqueue *fg_seat_node(struct fg_runqueue *leaf);
/* The worker has been given another leaf (move/exchange.c), or is told to ride. */
void fg_seat_change(struct fg_worker *worker);
/* What the worker knows of its PU. */
void fg_seat_share(struct fg_worker *worker, enum fg_seat_shared shared);
/* No other worker of the pool can be on this worker's PU, because each is bound to its own. */
bool fg_seat_is_narrow(const struct fg_worker *worker);
/* The caller's kernel thread has the program's mask, until its worker sits down again. */
void fg_seat_leave(struct fg_worker *worker);
/* The worker loses its kernel thread. The caller is the owner, or no kernel thread runs the worker at the moment. */
void fg_seat_forget(struct fg_worker *worker);

/* There are seats for roots at the moment. So there must be a monitor, which takes them away. */
static inline bool
fg_seat_for_roots(void)
{
	return fg_seats.placed || fg_seats.nodes || fg_load_relaxed(&fg_seats.alone);
}
/* The root sits. It has told its workers of the region. */
void fg_seat_take_root(struct fg_worker *worker);
/* A spare takes over the worker of a root, and the root's kernel thread has no seat any more. The caller holds the
 * thread that the worker carries (relief/hold.h). */
void fg_seat_end_of_root(struct fg_worker *worker);

/* The mask that the caller's kernel thread has for the program. Any thread may ask, inside or outside, and so may one
 * without an identity. False: it is not known. */
bool fg_seat_mask(struct fg_cpuset *mask);
/* True: the mask was that of a seat of this kernel thread, and is now the mask that the program has there. Any thread
 * may ask of any kernel thread. */
bool fg_seat_hide(int tid, struct fg_cpuset *mask);
/* A member, inside so that it stays on this kernel thread, sets the mask of its kernel thread, which is left alone from
 * now on. 0, or -1 and errno. */
int fg_seat_set_mask(struct fg_worker *worker, size_t size, const void *mask);
/* The monitor calls these. The mask of the process has changed: seats are looked at again. */
void fg_seat_mask_of_process(const struct fg_cpuset *mask);
/* The mask of the worker's kernel thread is that of its seat, so it does not tell what the user has set. A hint. The
 * second puts the program's mask there. */
bool fg_seat_is(const struct fg_worker *worker, const struct fg_cpuset *mask);
void fg_seat_see_through(const struct fg_worker *worker, struct fg_cpuset *mask);
/* Takes the worker's seat away, while its thread computes or is outside. It sits down again when it next waits, a root
 * at its next region. */
void fg_seat_loosen(struct fg_worker *worker);
