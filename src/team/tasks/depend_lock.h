/* What excludes the tasks with mutexinoutset on one address from each other (floor: team; used by depend_table.c).
 *
 * A task takes the locks of its addresses when all that it follows is complete, before it lies where members look for tasks, and gives
 * them back when it is complete. Nobody waits in a lock: a task that does not get one is put into its queue, and whoever gives the lock
 * back hands it on to the task and goes on taking the next ones for it.
 *
 * Word: FREE, or HELD, or the newest task that waits, which leads to older ones and at last to HELD. Who makes FREE into HELD holds the
 * lock; a task that was pushed holds it when it is handed on. The holder alone looks at `queue`, what it once took from the word, oldest
 * first. It gives the lock back either by HELD to FREE, while nobody waits, or to one task that waits: so there is one holder at most,
 * and no task is left behind. All these are read-modify-writes, acquire and release: what a holder did comes before the next.
 *
 * No deadlock. A task takes its locks in the order of their addresses, so it holds only lower ones than the one it waits for. Among the
 * locks that are waited for, the holder of the highest waits for none: it is ready or running or waits for its event. All it follows is
 * complete, and no task's body waits for a sibling, so it will be complete and give its locks back. */
#pragma once
#include "base/atomic.h"
#include "platform/sanitizer.h"

/* One that may wait; it holds or waits for one of its locks at a time through this. */
struct fg_depend_waiter {
	struct fg_depend_waiter *next;
};

struct fg_depend_lock {
	struct fg_atomic_ptr word;
	struct fg_atomic_u32 references; /* of the table, of each task that takes it until it is complete */
	struct fg_depend_waiter *queue;
};

#define FG_DEPEND_LOCK_FREE NULL
#define FG_DEPEND_LOCK_HELD ((void *)1)

/* False: it waits from now on, and may be handed the lock before this returns. */
static inline bool
fg_depend_lock_take(struct fg_depend_lock *lock, struct fg_depend_waiter *waiter)
{
	void *seen = fg_load_relaxed(&lock->word), *wanted;
	do {
		waiter->next = seen;
		wanted = seen == FG_DEPEND_LOCK_FREE ? FG_DEPEND_LOCK_HELD : waiter;
	} while (!fg_cas_acq_rel(&lock->word, &seen, wanted));
	if (wanted != FG_DEPEND_LOCK_HELD)
		return false;
	fg_happens_after(lock);
	return true;
}

/* Who holds it next; NULL: nobody. */
static inline struct fg_depend_waiter *
fg_depend_lock_give(struct fg_depend_lock *lock)
{
	void *seen = FG_DEPEND_LOCK_HELD;
	fg_happens_before(lock);
	if (!lock->queue) {
		if (fg_cas_acq_rel(&lock->word, &seen, FG_DEPEND_LOCK_FREE))
			return NULL;
		struct fg_depend_waiter *newest = fg_exchange_acq_rel(&lock->word, FG_DEPEND_LOCK_HELD);
		while (newest != FG_DEPEND_LOCK_HELD) {
			struct fg_depend_waiter *older = newest->next;
			newest->next = lock->queue;
			lock->queue = newest;
			newest = older;
		}
	}
	struct fg_depend_waiter *next = lock->queue;
	lock->queue = next->next;
	return next;
}
