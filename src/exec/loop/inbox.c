/* Inbox (floor: exec): see inbox.h. */
#include "exec/loop/inbox.h"

static bool
may_go(const struct fg_identity *thread, const struct fg_worker *crew_of)
{
	return thread->in_crew.lent || (crew_of && thread->crew_of == crew_of && thread->kind == FG_DONOR);
}

struct fg_identity *
fg_inbox_lend(struct fg_inbox *inbox, const struct fg_worker *crew_of)
{
	fg_spinlock_lock(&inbox->lock);
	struct fg_identity **link = &inbox->first;
	while (*link && !may_go(*link, crew_of))
		link = &(*link)->next;
	struct fg_identity *thread = fg_inbox_unlink_locked(inbox, link);
	fg_spinlock_unlock(&inbox->lock);
	return thread;
}
