/* Inbox: the ready threads that are pinned to a worker (floor: exec; called by search.c, ready.c and flat/lend.c;
 * stuck/stand.c reads the list as a hint).
 *
 * Any thread may put, the monitor too. The worker's owner takes. The owner lends as well, or a thread that holds the
 * owner. Each may be in the preemption handler, or have a bucket of the parking lot locked. None holds a lock of rank
 * INBOX or higher. Nothing here allocates or waits.
 *
 *     count == length of the list    (under the lock; without it the count is a hint)
 *     a thread is in the list => thread->pinned is the worker, and the thread lies in no other list
 *
 * Only `pinned` of the worker and `next` of the threads change here. The caller of fg_inbox_lend pins the thread to
 * another worker. */
#pragma once
#include "exec/thread/worker.h"

#ifndef NDEBUG
static inline bool
fg_inbox_valid_locked(const struct fg_worker *worker)
{
	assert((fg_load_stable(&worker->pinned.count) == 0) == (worker->pinned.first == NULL));
	assert((worker->pinned.first == NULL) == (worker->pinned.tail == &worker->pinned.first));
	assert(*worker->pinned.tail == NULL);
	return true;
}
#endif

static inline struct fg_identity *
fg_inbox_unlink_locked(struct fg_worker *worker, struct fg_identity **link)
{
	assert(fg_inbox_valid_locked(worker));
	struct fg_identity *thread = *link;
	if (thread) {
		*link = thread->next;
		if (!*link)
			worker->pinned.tail = link;
		fg_store_relaxed(&worker->pinned.count, fg_load_relaxed(&worker->pinned.count) - 1);
	}
	return thread;
}

static inline struct fg_identity *
fg_inbox_take(struct fg_worker *worker)
{
	if (fg_load_relaxed(&worker->pinned.count) == 0)
		return NULL;
	fg_spinlock_lock(&worker->pinned.lock);
	struct fg_identity *thread = fg_inbox_unlink_locked(worker, &worker->pinned.first);
	assert(!thread || thread->pinned == worker);
	fg_spinlock_unlock(&worker->pinned.lock);
	return thread;
}

static inline void
fg_inbox_put(struct fg_worker *worker, struct fg_identity *thread)
{
	thread->next = NULL;
	fg_spinlock_lock(&worker->pinned.lock);
	*worker->pinned.tail = thread;
	worker->pinned.tail = &thread->next;
	fg_store_relaxed(&worker->pinned.count, fg_load_relaxed(&worker->pinned.count) + 1);
	assert(fg_inbox_valid_locked(worker));
	fg_spinlock_unlock(&worker->pinned.lock);
}

/* Takes the oldest ready thread pinned here that may go to another worker. This is a thread that was lent to this
 * worker, or (own) a donor of its crew. */
struct fg_identity *fg_inbox_lend(struct fg_worker *worker, bool own);
