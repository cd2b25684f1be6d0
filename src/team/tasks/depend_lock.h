/* The lock that excludes the tasks with mutexinoutset on one address from each other (floor: team; used by
 * depend_table.c and depend_complete.c).
 *
 * A task takes the locks of its addresses when all that it follows is complete, and before it lies where members look.
 * It gives them back when it is complete. No thread waits in a lock: a task that does not get one goes into the lock's
 * queue. The thread that gives the lock back hands it to that task. Then it takes the task's next locks for it.
 *
 *     word == FREE, or HELD, or the newest task that waits
 *
 * A task that waits leads to older ones, and at last to HELD. The task that changes FREE to HELD holds the lock. A
 * task that was pushed holds the lock once it is handed on. The holder alone looks at `queue`: the tasks that a holder
 * once took from the word, oldest first. It gives the lock back by HELD to FREE if no task waits, or else to one task
 * that waits. So there is at most one holder, and no task is left behind. All these operations are read-modify-writes
 * with acquire and release. So the acts of a holder come before those of the next.
 *
 * There is no deadlock. A task takes its locks in the order of their addresses, so it holds only lower ones than the
 * one that it waits for. Among the locks that tasks wait for, consider the highest. Its holder waits for no lock: it
 * is ready, or runs, or waits for its event. All that the holder follows is complete, and no task's body waits for a
 * sibling. So it will be complete, and give its locks back. */
#pragma once
#include <assert.h>

#include "base/atomic.h"
#include "platform/memory.h"
#include "platform/sanitizer.h"

/* A task that may wait. One link is enough, because a task waits for one of its locks at a time. */
struct fg_depend_waiter {
	struct fg_depend_waiter *next;
};

struct fg_depend_lock {
	struct fg_atomic_ptr word;
	struct fg_atomic_u32 references; /* the table's, and one for each task that takes it, until that is complete */
	struct fg_depend_waiter *queue;
};

#define FG_DEPEND_LOCK_FREE NULL
#define FG_DEPEND_LOCK_HELD ((void *)1)

/* False: the task waits from now on, and may be handed the lock before this returns. */
static inline bool
fg_depend_lock_take(struct fg_depend_lock *lock, struct fg_depend_waiter *waiter)
{
	void *seen = fg_load_relaxed(&lock->word), *wanted;
	assert(fg_load_relaxed(&lock->references) > 1);
	do {
		waiter->next = seen;
		wanted = seen == FG_DEPEND_LOCK_FREE ? FG_DEPEND_LOCK_HELD : waiter;
	} while (!fg_cas_acq_rel(&lock->word, &seen, wanted));
	if (wanted != FG_DEPEND_LOCK_HELD)
		return false;
	fg_happens_after(lock);
	return true;
}

/* Gives the lock back. Returns the next holder. NULL: there is none. */
static inline struct fg_depend_waiter *
fg_depend_lock_give(struct fg_depend_lock *lock)
{
	void *seen = FG_DEPEND_LOCK_HELD;
	assert(fg_load_relaxed(&lock->word) != FG_DEPEND_LOCK_FREE);
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

static inline void
fg_depend_lock_unref(struct fg_depend_lock *lock)
{
	assert(fg_load_relaxed(&lock->references) > 0);
	if (fg_sub_acq_rel(&lock->references, 1) == 1)
		fg_memory_free(lock);
}
