/* Deferred tasks (floor: team); see deferred.h. */
#include "team/tasks/deferred.h"

#include "exec/thread/events.h"
#include "team/tasks/copy.h"
#include "team/tasks/depend_wait.h"
#include "team/tasks/detach.h"
#include "team/tasks/mail.h"
#include "team/tasks/row.h"
#include "team/tasks/wait.h"

#define CHILDREN_MAX 4096 /* a creator of more unfinished children must wait before it makes one with dependences */
#define CHILDREN_EACH 64  /* as many for each member of the team: a creator of more first runs ready tasks */

/* Returns the family of a task's children. Those of the tasks around are made with it, because thieves find their way
 * up by them. NULL: there is no memory. */
static struct fg_family *
children_of(struct fg_task_member *member, struct fg_task *task)
{
	assert(!task->children || task->children->owner == member);
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
	assert(task->task.family->owner == member && fg_family_valid(task->task.family));
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
	assert(((uintptr_t)task->data & (order->align - 1)) == 0);
	assert((char *)task->data + order->size <= (char *)task + size);
	task->pool = member->pool;
	task->created_in = parent->group;
	task->node = NULL;
	task->copied = order->copy != NULL;
	task->counted = FG_TASK_ALONE;
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

/* The copy function has made tasks. Their family is its creator's, and the task may run elsewhere, where its own
 * children must have a family of that member's. */
static __attribute__((noinline)) void
wait_for_copy(struct fg_identity *self, struct fg_task *task)
{
	fg_task_wait_children(self);
	fg_task_body_over(self->thread.tasks, task);
	task->children = NULL;
}

/* The creating thread runs the program's copy function here, with the new task as the current one. */
static void
deferred_fill(struct fg_identity *self, struct fg_deferred *task, const struct fg_task_order *order)
{
	if (!order->copy) {
		fg_task_copy(task->data, order);
		return;
	}
	struct fg_task_resume resume = fg_task_take_up(self, &task->task, task->icv);
	fg_leave(self);
	fg_task_copy(task->data, order);
	fg_enter(self);
	assert(self->thread.task == &task->task);
	if (__builtin_expect(task->task.children != NULL, 0))
		wait_for_copy(self, &task->task);
	fg_task_put_down(self, &resume);
}

/* Makes a deferred task of the current task `parent`, with a copy of its data. The task is counted nowhere yet. NULL:
 * there is no memory. */
static struct fg_deferred *
deferred_new(struct fg_identity *self, struct fg_task_member *member, struct fg_task *parent,
	     const struct fg_task_order *order)
{
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
	assert(fg_family_valid(parent->children));
	fg_task_run_some(self, member, parent, some - some / 8);
	if (__builtin_expect(fg_family_count(parent->children) >= most, 0))
		fg_task_slow_down(self, member, parent, most);
}

static bool
is_complete(void *task)
{
	return fg_load_acquire(&((struct fg_deferred *)task)->complete);
}

/* The creator runs its task, waits until the body and the event are over, and frees the task. */
static void
run_awaited(struct fg_identity *self, struct fg_task_member *member, struct fg_task *parent, struct fg_deferred *task)
{
	run_one(self, member, task);
	if (!is_complete(task))
		fg_task_wait(self, member, fg_task_within(parent), is_complete, task);
	assert(is_complete(task) && !(fg_load_relaxed(&task->missing) & FG_TASK_EVENT));
	fg_happens_after(&task->complete);
	fg_store_put(&member->store, &task->block);
}

bool
fg_task_run_awaited(struct fg_identity *self, struct fg_task *parent, const struct fg_task_order *order)
{
	struct fg_task_member *member = fg_task_member(self);
	struct fg_deferred *task = parent ? deferred_new(self, member, parent, order) : NULL;
	if (!task)
		return false;
	task->counted = FG_TASK_AWAITED;
	assert(member == self->thread.tasks && fg_task_member_valid(member));
	count_in(member, task);
	run_awaited(self, member, parent, task);
	return true;
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
	assert(!node || node->task == task);
	task->node = NULL;
	task->counted = FG_TASK_AWAITED;
	fg_depend_wait(self, parent, depend);
	if (node) {
		fg_task_nap(self, parent, only_made, node);
		fg_depend_unref(node, &member->store);
	}
	run_awaited(self, member, parent, task);
}

/* Counts the task, and puts it where members look as soon as all that it depends on is complete. `depend` NULL: it
 * depends on nothing. The task may run before this returns. */
static void
submit(struct fg_identity *self, struct fg_task_member *member, struct fg_task *parent, struct fg_deferred *task,
       void **depend)
{
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

bool
fg_task_defer(struct fg_identity *self, struct fg_task_member *member, struct fg_task *parent,
	      const struct fg_task_order *order, void **depend)
{
	if (depend)
		slow_down(self, member, parent);
	struct fg_deferred *task = deferred_new(self, member, parent, order);
	if (!task)
		return false;
	submit(self, member, parent, task, depend);
	return true;
}

bool
fg_task_defer_row(struct fg_identity *self, struct fg_deferred *whole, const struct fg_task_order *order,
		  struct fg_mailbox *box)
{
	fg_assert_inside(self);
	struct fg_task_member *member = self->thread.tasks;
	struct fg_task *parent = fg_task_current_or_null(self);
	assert(member && parent && (!whole || parent == &whole->task));
	struct fg_deferred *task = deferred_new(self, member, parent, order);
	if (!task)
		return false;
	fg_task_row_split(task, whole);
	fg_worker_trace(FG_EVENT_create, self, fg_deferred_number(task), (uintptr_t)task->fn);
	count_in(member, task);
	fg_happens_before(task);
	if (!box || !fg_task_mail_one(member, task, box))
		fg_task_ready(member, task);
	return true;
}
