/* Create (floor: team): see create.h. */
#include "team/tasks/create.h"

#include "exec/loop/loop.h"
#include "team/tasks/cancelled.h"
#include "team/tasks/copy.h"
#include "team/tasks/depend_table.h"
#include "team/tasks/detach.h"
#include "team/tasks/limit.h"
#include "team/tasks/wait.h"

#define CHILDREN_MAX 4096 /* a creator of more unfinished children must wait before it makes one with dependences */
#define CHILDREN_EACH 64  /* as many for each member of the team: a creator of more first runs ready tasks */
#define QUEUED_MAX 1024	  /* with so many tasks in the team's queue, a new one with a priority runs at once */

/* Returns the caller's ICVs for a task that runs now. A value that this task sets must not reach the caller. So a
 * private set is copied to *own. The thread that writes a shared set copies it first. */
static inline struct fg_icv *
inherited(struct fg_identity *self, struct fg_icv *own)
{
	struct fg_icv *icv = self->thread.icv;
	if (__builtin_expect(!icv || !icv->private_copy, 1))
		return icv;
	*own = *icv;
	own->private_copy = false;
	return own;
}

/* Returns the family of a task's children. Those of the tasks around are made with it, because thieves find their way
 * up by them. NULL: there is no memory. */
static struct fg_family *
children_of(struct fg_task_member *member, struct fg_task *task)
{
	if (task->children)
		return task->children;
	struct fg_family *around = task->family;
	if (task->around && !(around = children_of(member, task->around)))
		return NULL;
	struct fg_family *family = fg_store_get(&member->store, FG_BLOCK_FAMILY, sizeof *family);
	if (!family)
		return NULL;
	fg_family_init(family, around, member);
	task->children = family;
	return family;
}

static void
count_in(struct fg_task_member *member, struct fg_deferred *task)
{
	struct fg_taskgroup *group = task->created_in;
	task->task.family->pending++;
	if (group && group->owner == member)
		group->pending++;
	else if (group)
		fg_add_relaxed(&group->others, 1);
	fg_store_relaxed(&member->created, fg_load_relaxed(&member->created) + 1);
}

/* Runs this task and no other. A task that becomes ready goes where members look. */
static void
run_one(struct fg_identity *self, struct fg_task_member *member, struct fg_deferred *task)
{
	struct fg_deferred *next = fg_task_run(self, member, task);
	if (next)
		fg_task_ready(member, next);
}

static void
run_included(struct fg_identity *self, struct fg_task *parent, const struct fg_task_order *order)
{
	struct fg_icv icv;
	struct fg_task task;
	task.around = parent;
	task.family = task.children = NULL;
	task.group = parent ? parent->group : NULL;
	task.depends = NULL;
	task.nested = parent ? parent->nested + 1 : 0;
	task.lock_owner = 0;
	task.final = order->final || (parent && parent->final);
	struct fg_task_resume resume = fg_task_take_up(self, &task, inherited(self, &icv));
	if (__builtin_expect(order->copy || order->range, 0))
		fg_task_run_copied(self, order);
	else if (order->fn)
		fg_task_call(self, order->fn, order->data);
	fg_task_put_down(self, &resume);
	fg_task_body_over(self->thread.tasks, &task);
}

void
fg_task_plain_end(struct fg_identity *self, struct fg_icv *icv)
{
	fg_assert_outside(self);
	fg_enter(self);
	if (self->thread.icv != icv)
		fg_icv_release(self);
	self->thread.icv = icv;
	fg_task_body_over(self->thread.tasks, self->thread.task);
	fg_worker_look(self);
	fg_leave(self);
}

/* Makes room for the task, its data, and perhaps a copy of its ICVs. The team's ICVs need no copy: they last as long
 * as its tasks. NULL: there is no memory. */
static struct fg_deferred *
deferred_make(struct fg_identity *self, struct fg_task_member *member, struct fg_task *parent,
	      const struct fg_task_order *order)
{
	struct fg_icv *icv = self->thread.icv;
	bool own_icv = icv && !(self->thread.team && icv == self->thread.team->icv);
	size_t before =
		(sizeof(struct fg_deferred) + (own_icv ? sizeof *icv : 0) + order->align - 1) & ~(order->align - 1);
	size_t slack = order->align > 64 ? order->align : 0, size = before + order->size + slack;
	struct fg_family *family = children_of(member, parent);
	struct fg_deferred *task = family ? fg_store_get(&member->store, fg_block_kind(size), size) : NULL;
	if (!task)
		return NULL;
	task->task = (struct fg_task){.family = family, .group = parent->group, .final = order->final || parent->final};
	fg_hand_over(&task->fn);
	task->fn = order->fn;
	task->icv = icv;
	if (own_icv) {
		task->icv = (struct fg_icv *)(task + 1);
		*task->icv = *icv;
		task->icv->private_copy = false;
	}
	task->data = (char *)task + before;
	if (slack)
		task->data = (char *)task->data + (-(uintptr_t)task->data & (order->align - 1));
	task->pool = member->pool;
	task->created_in = parent->group;
	task->node = NULL;
	task->copied = order->copy != NULL;
	task->kept = false;
	task->priority = order->priority;
	fg_store_relaxed(&task->missing, order->event ? FG_TASK_BODY | FG_TASK_EVENT : FG_TASK_BODY);
	fg_store_relaxed(&task->complete, 0);
	if (order->event) {
		fg_add_relaxed(&member->pool->events, 1);
		*order->event = task->event = fg_detach_new(task);
		if (order->data)
			*(uint64_t *)order->data = task->event;
	}
	return task;
}

/* The creating thread runs the program's copy function here, with the new task as the current one. */
static void
deferred_fill(struct fg_identity *self, struct fg_deferred *task, const struct fg_task_order *order)
{
	if (!order->copy) {
		fg_task_copy(self, task->data, order);
		return;
	}
	struct fg_task_resume resume = fg_task_take_up(self, &task->task, task->icv);
	fg_task_copy(self, task->data, order);
	fg_task_put_down(self, &resume);
}

struct fg_deferred *
fg_task_new(struct fg_identity *self, struct fg_task_member *member, struct fg_task *parent,
	    const struct fg_task_order *order)
{
	fg_assert_inside(self);
	struct fg_deferred *task = deferred_make(self, member, parent, order);
	if (task)
		deferred_fill(self, task, order);
	return task;
}

/* Tasks that wait for others lie in no deque, so the deque's limit does not bound their number. */
static inline void
slow_down(struct fg_identity *self, struct fg_task_member *member, struct fg_task *parent)
{
	uint32_t most = CHILDREN_MAX << member->in_vain, some = CHILDREN_EACH * member->pool->size;
	if (!parent->children || fg_family_count(parent->children) < some)
		return;
	fg_task_run_some(self, member, parent, some - some / 8);
	if (__builtin_expect(fg_family_count(parent->children) >= most, 0))
		fg_task_slow_down(self, member, parent, most);
}

static bool
nothing_missing(void *node)
{
	return fg_load_acquire(&((struct fg_depend_node *)node)->missing) == 0;
}

static void
wait_predecessors(struct fg_identity *self, struct fg_task *parent, void **depend)
{
	struct fg_task_member *member = fg_task_member(self);
	struct fg_depend_node node;
	do {
		if (!fg_depend_follow(parent, depend, member, &node))
			return;
		fg_task_wait(self, member, fg_task_within(parent), nothing_missing, &node);
		fg_happens_after(&node);
	} while (node.more);
}

static bool
is_complete(void *task)
{
	return fg_load_acquire(&((struct fg_deferred *)task)->complete);
}

/* Runs an undeferred task with an event: its creation returns when the body and the event are over. False: there is no
 * memory. */
static bool
run_undeferred_event(struct fg_identity *self, struct fg_task *parent, const struct fg_task_order *order)
{
	struct fg_task_member *member = fg_task_member(self);
	struct fg_deferred *task = parent ? fg_task_new(self, member, parent, order) : NULL;
	if (!task)
		return false;
	task->kept = true;
	count_in(member, task);
	struct fg_family *within = fg_task_within(parent);
	run_one(self, member, task);
	if (!is_complete(task))
		fg_task_wait(self, member, within, is_complete, task);
	fg_happens_after(&task->complete);
	fg_store_put(&member->store, &task->block);
	return true;
}

/* Does the same without memory: the task that the event leads to lies on the creator's stack. */
static void
run_included_event(struct fg_identity *self, struct fg_task *parent, const struct fg_task_order *order)
{
	struct fg_deferred task = {.pool = NULL};
	*order->event = fg_detach_new(&task);
	if (order->data)
		*(uint64_t *)order->data = *order->event;
	run_included(self, parent, order);
	fg_task_nap(self, parent, is_complete, &task);
	fg_happens_after(&task.complete);
}

static void
create_undeferred(struct fg_identity *self, struct fg_task *parent, const struct fg_task_order *order)
{
	if (order->depend && parent && parent->depends)
		wait_predecessors(self, parent, order->depend);
	if (!order->event)
		run_included(self, parent, order);
	else if (!run_undeferred_event(self, fg_task_current(self), order))
		run_included_event(self, parent, order);
}

static bool
only_made(void *node)
{
	return fg_load_acquire(&((struct fg_depend_node *)node)->missing) == 1;
}

/* The task was made, but there was no memory to enter it in the table of its parent's children. So its creator waits
 * here for its predecessors, and runs it. */
static void
run_unentered(struct fg_identity *self, struct fg_task *parent, struct fg_deferred *task, void **depend)
{
	struct fg_task_member *member = fg_task_member(self);
	struct fg_depend_node *node = task->node;
	task->node = NULL;
	task->kept = true;
	if (parent->depends)
		wait_predecessors(self, parent, depend);
	if (node) {
		fg_task_nap(self, parent, only_made, node);
		fg_depend_unref(node, &member->store);
	}
	run_one(self, member, task);
	if (!is_complete(task))
		fg_task_wait(self, member, fg_task_within(parent), is_complete, task);
	fg_happens_after(&task->complete);
	fg_store_put(&member->store, &task->block);
}

void
fg_task_submit(struct fg_identity *self, struct fg_task_member *member, struct fg_task *parent,
	       struct fg_deferred *task, void **depend)
{
	fg_assert_inside(self);
	fg_worker_trace(FG_EVENT_create, self, fg_deferred_number(task), (uintptr_t)task->fn);
	if (depend)
		fg_worker_trace(FG_EVENT_follow, self, fg_deferred_number(task), 0);
	count_in(member, task);
	if (!depend)
		fg_happens_before(task);
	else {
		enum fg_depend_entered entered = fg_depend_enter(member, parent, depend, task);
		if (entered == FG_DEPEND_FOLLOWS)
			return;
		if (__builtin_expect(entered == FG_DEPEND_NO_MEMORY, 0)) {
			run_unentered(self, parent, task, depend);
			return;
		}
	}
	if (self->thread.size == 1)
		run_one(self, member, task);
	else
		fg_task_ready(member, task);
}

static void
defer(struct fg_identity *self, struct fg_task_member *member, struct fg_task *parent, const struct fg_task_order *order)
{
	if (order->depend)
		slow_down(self, member, parent);
	struct fg_deferred *task = fg_task_new(self, member, parent, order);
	if (task)
		fg_task_submit(self, member, parent, task, order->depend);
	else
		create_undeferred(self, parent, order);
}

/* The deque holds enough tasks for all members that may come, so this one runs at once. If the deque is empty
 * afterwards, the limit was too low. */
static void
run_instead(struct fg_identity *self, struct fg_task_member *member, struct fg_task *parent,
	    const struct fg_task_order *order)
{
	run_included(self, parent, order);
	if (__builtin_expect(fg_deque_count(&member->deque) == 0, 0))
		fg_task_ran_dry(member);
}

static bool
enough_wait(struct fg_task_member *member, const struct fg_task_order *order)
{
	return fg_deque_holds(&member->deque, member->limit) ||
	       (order->priority && fg_load_relaxed(&member->pool->queue.count) >= QUEUED_MAX);
}

void
fg_task_create(struct fg_identity *self, const struct fg_task_order *order)
{
	fg_assert_inside(self);
	struct fg_task *parent = self->thread.task;
	if (self->thread.team && (self->thread.size == 1 || (order->undeferred && fg_task_pool_or_null(self))))
		fg_task_member(self); /* makes the member, so that its next tasks may be plain */
	if (!parent)
		parent = self->thread.tasks ? &self->thread.tasks->implicit : fg_task_current_or_null(self);
	if (__builtin_expect(fg_env.cancellation, 0) &&
	    fg_cancel_drops_tasks(fg_task_pool(self), parent ? parent->group : NULL)) {
		if (order->event)
			*order->event = fg_detach_new(NULL);
		return;
	}
	bool simple = !order->depend && !order->event;
	if (order->undeferred || self->thread.in_haste || (parent && parent->final) ||
	    (self->thread.size == 1 && simple)) {
		create_undeferred(self, parent, order);
		return;
	}
	struct fg_task_member *member = fg_task_member(self);
	if (!member) {
		create_undeferred(self, parent, order);
		return;
	}
	if (!parent)
		parent = &member->implicit;
	if (!order->event && enough_wait(member, order) && parent->nested < FG_NESTED_MAX &&
	    !(order->depend && fg_depend_precedes(parent, order->depend)))
		run_instead(self, member, parent, order);
	else
		defer(self, member, parent, order);
}

void
fg_task_wait_depend(struct fg_identity *self, void **depend)
{
	fg_assert_inside(self);
	struct fg_task *parent = fg_task_current_or_null(self);
	if (parent && parent->depends)
		wait_predecessors(self, parent, depend);
}
