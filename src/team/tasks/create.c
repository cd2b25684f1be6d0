/* Create (floor: team): see create.h. */
#include "team/tasks/create.h"

#include "team/tasks/cancelled.h"
#include "team/tasks/deferred.h"
#include "team/tasks/depend_table.h"
#include "team/tasks/depend_wait.h"
#include "team/tasks/detach.h"
#include "team/tasks/included.h"
#include "team/tasks/limit.h"
#include "team/tasks/mail.h"

#define QUEUED_MAX 1024 /* with so many tasks in the team's queue, a new one with a priority runs at once */
#define MAIL_TURNS 8	/* tasks for each look at mailboxes */

/* When a new task runs: at its creation because it must, or because enough tasks wait for all members that may come; or
 * later. */
enum when { NOW, INSTEAD, LATER };

static bool
must_run_now(const struct fg_identity *self, const struct fg_task *parent, const struct fg_task_order *order,
	     void **depend)
{
	bool simple = !depend && !order->event;
	return order->undeferred || self->thread.groups_lost || (parent && parent->final) ||
	       (self->thread.size == 1 && simple);
}

/* A member of a large team leaves batches in mailboxes before its deque is full. But it looks for an empty mailbox only
 * once for several tasks, because these looks take long. */
static __attribute__((noinline)) bool
enough_for_groups(struct fg_task_member *member)
{
	bool full = fg_deque_holds(&member->deque, member->limit);
	return (full || member->mail_turn++ % MAIL_TURNS == 0) && !fg_task_mail(member) && full;
}

static bool
enough(struct fg_task_member *member, const struct fg_task_order *order)
{
	struct fg_task_pool *pool = member->pool;
	if (fg_deque_holds(&member->deque, member->many))
		return !fg_task_pool_is_large(pool) || enough_for_groups(member);
	return order->priority && fg_load_relaxed(&pool->queue.count) >= QUEUED_MAX;
}

static enum when
when_of(struct fg_task_member *member, struct fg_task *parent, const struct fg_task_order *order, void **depend)
{
	bool may = !order->event && enough(member, order) && parent->nested < FG_NESTED_MAX;
	return may && !(depend && fg_depend_precedes(parent, depend)) ? INSTEAD : LATER;
}

/* An undeferred task with an event is deferred all the same, and its creator runs it at once. */
static void
run_now(struct fg_identity *self, struct fg_task *parent, const struct fg_task_order *order)
{
	if (!order->event || !fg_task_run_awaited(self, fg_task_current(self), order))
		fg_task_include(self, parent, order);
}

/* `parent` NULL: an implicit task that has met no tasks. */
static void
create(struct fg_identity *self, struct fg_task *parent, const struct fg_task_order *order, void **depend)
{
	struct fg_task_member *member = must_run_now(self, parent, order, depend) ? NULL : fg_task_member(self);
	if (member && !parent)
		parent = &member->implicit;
	enum when when = member ? when_of(member, parent, order, depend) : NOW;
	if (when == LATER && fg_task_defer(self, member, parent, order, depend))
		return;
	if (when != INSTEAD && depend && parent)
		fg_depend_wait(self, parent, depend);
	run_now(self, parent, order);
	if (when == INSTEAD && __builtin_expect(fg_deque_count(&member->deque) == 0, 0))
		fg_task_ran_dry(member); /* the limit was too low */
}

void
fg_task_create(struct fg_identity *self, const struct fg_task_order *order, void **depend)
{
	fg_assert_inside(self);
	assert(order->align > 0 && !(order->align & (order->align - 1)));
	assert(fg_lock_order_none("makes a task with"));
	struct fg_task *parent = self->thread.task;
	if (self->thread.team && (self->thread.size == 1 || (order->undeferred && fg_task_pool_or_null(self))))
		fg_task_member(self); /* makes the member, so that its next tasks may be plain */
	if (!parent)
		parent = self->thread.tasks ? &self->thread.tasks->implicit : fg_task_current_or_null(self);
	if (__builtin_expect(fg_env.cancellation, 0) &&
	    fg_cancel_drops_tasks(fg_task_pool(self), parent ? parent->group : NULL)) {
		if (order->event)
			*order->event = fg_detach_new(NULL);
	} else
		create(self, parent, order, depend);
}
