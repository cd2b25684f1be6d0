/* Donors: making them and ending them (floor: exec; called by birth.c, loop.c, layout.c, anchor.c, spare.c,
 * region.c, both other carriers, the spawner, shutdown.c and process_fork.c).
 *
 * A new donor has no worker and lies in no pool: it belongs to the caller of fg_donor_new. fg_donor_reserve gives it to
 * the caller's worker, and fg_donor_stock to the common pool. Donors that end lie in no pool, and no thread reads them.
 * Besides, these files change only fg_donors and the notes of stacks. fg_donor_new is called outside, and functions
 * that may come to it step out. No caller holds a lock, or is in the preemption handler. */
#pragma once
#include <pthread.h>

#include "exec/thread/identity.h"

extern struct fg_donors {
	pthread_once_t rseq_once;
	struct fg_atomic_u32 made; /* so far */
	/* Donors that were told to end. Only one thread at a time ends donors: the spawner, or a shutdown after it. */
	struct birth_note *ending;
	/* The system has refused a donor: fg_donor_reserve does not ask it before this time. The other functions do. 0:
	 * it has not. */
	struct fg_atomic_u64 refused_until;
} fg_donors __attribute__((visibility("hidden")));

/* Makes a donor with a stack of the configured size. Its context starts entry(). NULL: the system gives no more. It
 * calls pthread_create and so may wait for locks of the C library. So the caller is outside the runtime and holds no
 * lock of it. */
struct fg_identity *fg_donor_new(void (*entry)(void));
/* Makes sure that the caller's worker has a free donor. The caller is inside, not in the preemption handler, and holds
 * no lock. It may step out, and another worker may carry it afterwards. False: the system gives no more now. */
bool fg_donor_reserve(struct fg_identity *self);
/* So many donors may be there for members of a new nested region, up to `wanted`. The number is less than `wanted`
 * only if the system has just refused some. The caller is inside, and may step out as in fg_donor_reserve. */
unsigned fg_donor_expect_slow(struct fg_identity *self, unsigned wanted);
/* For the spawner: makes sure that the common pool has so many free donors for signal handlers, at most
 * FG_STOCK_MAX. False: the system gives no more. */
#define FG_STOCK_MAX 64
bool fg_donor_stock(unsigned wanted);
/* Ends the pthreads of all donors of the list, and gives their memory back. The threads that they ran are over, and
 * nothing leads to them any more. */
void fg_donor_end_all(struct fg_identity *list);
/* For the spawner, once in a while: ends the free donors that nothing has used since the last call, but keeps so many.
 * It waits for none of them. True: the next call may find more. */
bool fg_donor_end_unused(unsigned kept);
void fg_donor_after_fork(void);
