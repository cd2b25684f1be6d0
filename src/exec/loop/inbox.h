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
#include <assert.h>

#include "exec/thread/identity.h"
#include "exec/thread/inbox_state.h"

#ifndef NDEBUG
static inline bool
fg_inbox_valid_locked(const struct fg_inbox *inbox)
{
	assert((fg_load_stable(&inbox->count) == 0) == (inbox->first == NULL));
	assert((inbox->first == NULL) == (inbox->tail == &inbox->first));
	assert(*inbox->tail == NULL);
	return true;
}
#endif

static inline struct fg_identity *
fg_inbox_unlink_locked(struct fg_inbox *inbox, struct fg_identity **link)
{
	assert(fg_inbox_valid_locked(inbox));
	struct fg_identity *thread = *link;
	if (thread) {
		*link = thread->next;
		if (!*link)
			inbox->tail = link;
		fg_store_relaxed(&inbox->count, fg_load_relaxed(&inbox->count) - 1);
	}
	return thread;
}

static inline struct fg_identity *
fg_inbox_take(struct fg_inbox *inbox)
{
	if (fg_load_relaxed(&inbox->count) == 0)
		return NULL;
	fg_spinlock_lock(&inbox->lock);
	struct fg_identity *thread = fg_inbox_unlink_locked(inbox, &inbox->first);
	fg_spinlock_unlock(&inbox->lock);
	return thread;
}

static inline void
fg_inbox_put(struct fg_inbox *inbox, struct fg_identity *thread)
{
	thread->next = NULL;
	fg_spinlock_lock(&inbox->lock);
	*inbox->tail = thread;
	inbox->tail = &thread->next;
	fg_store_relaxed(&inbox->count, fg_load_relaxed(&inbox->count) + 1);
	assert(fg_inbox_valid_locked(inbox));
	fg_spinlock_unlock(&inbox->lock);
}

/* Takes the oldest thread that may go to another worker. This is one that was lent to the owner, or a donor of this
 * worker's crew (NULL: of none). */
struct fg_identity *fg_inbox_lend(struct fg_inbox *inbox, const struct fg_worker *crew_of);
