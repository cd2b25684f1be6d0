/* Inbox (floor: exec): see inbox.h. */
#include "exec/loop/inbox.h"

static bool
may_go(const struct fg_identity *thread, const struct fg_worker *worker, bool own)
{
	return thread->in_crew.lent || (own && thread->crew_of == worker && thread->kind == FG_DONOR);
}

struct fg_identity *
fg_inbox_lend(struct fg_worker *worker, bool own)
{
	fg_spinlock_lock(&worker->pinned.lock);
	struct fg_identity **link = &worker->pinned.first;
	while (*link && !may_go(*link, worker, own))
		link = &(*link)->next;
	struct fg_identity *thread = fg_inbox_unlink_locked(worker, link);
	fg_spinlock_unlock(&worker->pinned.lock);
	return thread;
}
