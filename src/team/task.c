/* Tasks: made, run, completed (floor: team; called by gomp). See task.h for when a task is deferred. */
#include "team/task.h"
#include "base/log.h"
#include "team/cancel.h"
#include "team/task_run.h"
#include <stdlib.h>
#include <string.h>

/* What a thread was before it took up a task. */
struct resume {
	struct fg_task *task;
	struct fg_icv *icv, *given;
	uint32_t lock_owner;
};

static struct resume
take_up(struct fg_identity *self, struct fg_task *task, struct fg_icv *icv)
{
	struct resume resume = {self->thread.task, self->thread.icv, icv, self->thread.lock_owner};
	self->thread.icv = icv;
	self->thread.lock_owner = 0;
	self->thread.task = task;
	return resume;
}

/* The caller's ICVs for a task that runs now. What it sets must not reach them: a private set is copied to *own, a shared one
 * is copied by whoever writes it. */
static struct fg_icv *
inherited(struct fg_identity *self, struct fg_icv *own)
{
	struct fg_icv *icv = self->thread.icv;
	if (!icv || !icv->private_copy)
		return icv;
	*own = *icv;
	own->private_copy = false;
	return own;
}

static void
put_down(struct fg_identity *self, const struct resume *resume)
{
	if (self->thread.icv != resume->given)
		fg_icv_release(self);
	self->thread.icv = resume->icv;
	self->thread.task = resume->task;
	self->thread.lock_owner = resume->lock_owner;
}

static void
call(struct fg_identity *self, void (*fn)(void *), void *data)
{
	fg_leave(self);
	fn(data);
	fg_enter(self);
}

static void
disown_children_locked(struct fg_task *task)
{
	for (struct fg_task *child = task->children; child; child = child->next)
		child->parent = NULL;
	task->children = NULL;
}

static void
add_locked(struct fg_task_pool *pool, struct fg_task *parent, struct fg_task *task)
{
	task->parent = parent;
	task->next = parent->children;
	if (task->next)
		task->next->previous = task;
	parent->children = task;
	fg_add_relaxed(&parent->unfinished, 1);
	fg_add_relaxed(&pool->unfinished, 1);
	if (task->created_in)
		task->created_in->unfinished++;
}

/* Tasks that nothing precedes any more become ready, in the order of their creation. */
static void
free_successors_locked(struct fg_task_pool *pool, struct fg_task *task)
{
	while (task->successors) {
		struct fg_task_link *link = task->successors;
		struct fg_task *successor = link->successor;
		task->successors = link->next;
		free(link);
		if (--successor->predecessors == 0 && !successor->kept) {
			successor->ready_next = NULL;
			*pool->ready_end = successor;
			pool->ready_end = &successor->ready_next;
		}
	}
}

static void
complete_locked(struct fg_task_pool *pool, struct fg_task *task)
{
	if (task->parent) {
		if (task->next)
			task->next->previous = task->previous;
		if (task->previous)
			task->previous->next = task->next;
		else
			task->parent->children = task->next;
		/* Release: the parent may read 0 without the lock and go on. */
		fg_sub_acq_rel(&task->parent->unfinished, 1);
	}
	if (task->created_in)
		task->created_in->unfinished--;
	free_successors_locked(pool, task);
	task->complete = true;
	fg_sub_acq_rel(&pool->unfinished, 1);
}

/* Completes the task if nothing is missing, and frees it unless its creator does. */
static void
settle(struct fg_task_pool *pool, struct fg_task *task, bool body_done)
{
	fg_spinlock_lock(&pool->lock);
	if (task->complete) { /* dropped by a cancellation before its event happened */
		fg_spinlock_unlock(&pool->lock);
		return;
	}
	if (body_done) {
		disown_children_locked(task);
		task->body_done = true;
	} else if (!task->event_open) {
		fg_fatal("omp_fulfill_event: %p event already fulfilled", (void *)task);
	} else {
		task->event_open = false;
	}
	bool complete = task->body_done && !task->event_open;
	bool kept = task->kept;
	if (complete)
		complete_locked(pool, task);
	fg_spinlock_unlock(&pool->lock);
	/* From here on the team, and the pool with it, may be gone: its address serves as a key only. */
	if (!complete)
		return;
	if (!kept)
		free(task);
	fg_task_wake(pool);
}

void
fg_task_fulfill(struct fg_task *task)
{
	settle(task->pool, task, false);
}

void
fg_task_run_deferred(struct fg_identity *self, struct fg_task *task)
{
	struct fg_task_pool *pool = task->pool;
	bool dropped = !task->copied && fg_cancel_drops_tasks(pool, task->created_in);
	if (task->fn && !dropped) {
		struct resume resume = take_up(self, task, &task->icv);
		call(self, task->fn, task->data);
		put_down(self, &resume);
	}
	if (dropped && task->event_open) {
		/* Nobody may ever fulfil the event now; but somebody may, so the struct stays. */
		fg_spinlock_lock(&pool->lock);
		task->event_open = false;
		task->kept = true;
		fg_spinlock_unlock(&pool->lock);
	}
	settle(pool, task, true);
}

/* fn on data made by the program's copy function, which runs as part of the task. */
static void
run_copied(struct fg_identity *self, const struct fg_task_order *order)
{
	char *memory = fg_task_memory(order->size + order->align);
	char *data = memory + (-(uintptr_t)memory & (order->align - 1));
	fg_leave(self);
	order->copy(data, order->data);
	order->fn(data);
	fg_enter(self);
	free(memory);
}

static void
run_now(struct fg_identity *self, struct fg_task *task, const struct fg_task_order *order)
{
	struct resume resume = take_up(self, task, inherited(self, &task->icv));
	if (order->copy)
		run_copied(self, order);
	else if (order->fn)
		call(self, order->fn, order->data);
	put_down(self, &resume);
}

/* A task that ends with its creation: nothing to wait for, no event. Lies on the creator's stack. */
static void
create_simple(struct fg_identity *self, struct fg_task *parent, const struct fg_task_order *order)
{
	struct fg_task task;
	task.group = parent ? parent->group : NULL;
	fg_store_relaxed(&task.unfinished, 0);
	task.children = NULL;
	task.final = order->final || (parent && parent->final);
	run_now(self, &task, order);
	if (__builtin_expect(fg_load_acquire(&task.unfinished) != 0, 0)) {
		struct fg_task_pool *pool = fg_task_pool(self);
		fg_spinlock_lock(&pool->lock);
		disown_children_locked(&task);
		fg_spinlock_unlock(&pool->lock);
	}
}

void
fg_task_run_included(struct fg_identity *self, void (*fn)(void *), void *data, bool final)
{
	create_simple(self, fg_task_current_or_null(self),
		      &(struct fg_task_order){.fn = fn, .data = data, .final = final});
}

/* Room for the task, its dependences and, should it be deferred, a copy of its data. */
static struct fg_task *
task_new(struct fg_identity *self, struct fg_task *parent, const struct fg_task_order *order)
{
	size_t depends = order->depend ? fg_depend_count(order->depend) : 0;
	size_t before = sizeof(struct fg_task) + depends * sizeof(struct fg_depend);
	struct fg_task *task = fg_task_memory(before + order->size + order->align);
	task->pool = fg_task_pool(self);
	task->group = task->created_in = parent->group;
	task->final = order->final || parent->final;
	task->fn = order->fn;
	task->depend.items = (struct fg_depend *)(task + 1);
	task->depend.count = depends;
	if (depends)
		fg_depend_read(order->depend, task->depend.items);
	uintptr_t data = (uintptr_t)task + before;
	task->data = (void *)((data + order->align - 1) & ~(uintptr_t)(order->align - 1));
	return task;
}

static void
link_predecessors_locked(struct fg_task *parent, struct fg_task *task)
{
	for (struct fg_task *sibling = parent->children; sibling; sibling = sibling->next) {
		if (!fg_depend_conflict(&sibling->depend, &task->depend))
			continue;
		struct fg_task_link *link = fg_task_memory(sizeof *link);
		*link = (struct fg_task_link){sibling->successors, task};
		sibling->successors = link;
		task->predecessors++;
	}
}

/* The copy constructors run here, in the creating thread, with the new task as the current one. */
static void
copy_data(struct fg_identity *self, struct fg_task *task, const struct fg_task_order *order)
{
	task->icv = self->thread.icv ? *self->thread.icv : fg_env.icv;
	task->icv.private_copy = false;
	if (order->copy) {
		struct fg_task *current = self->thread.task;
		self->thread.task = task;
		fg_leave(self);
		order->copy(task->data, order->data);
		fg_enter(self);
		self->thread.task = current;
		task->copied = true;
	} else if (order->size) {
		memcpy(task->data, order->data, order->size);
	}
}

/* Hands the task over: from now on the last predecessor makes it ready. `predecessors` counted one more meanwhile. */
static void
defer(struct fg_identity *self, struct fg_task *task, const struct fg_task_order *order)
{
	copy_data(self, task, order);
	fg_spinlock_lock(&task->pool->lock);
	bool ready = --task->predecessors == 0;
	fg_spinlock_unlock(&task->pool->lock);
	if (ready)
		fg_task_run_deferred(self, task);
}

/* A task that may outlive its creation: it has an event, or perhaps predecessors. */
static void
create_lasting(struct fg_identity *self, const struct fg_task_order *order)
{
	struct fg_task *parent = fg_task_current(self);
	struct fg_task *task = task_new(self, parent, order);
	struct fg_task_pool *pool = task->pool;
	/* Outside any region nobody would come to run it later. */
	bool undeferred = order->undeferred || parent->final || !self->thread.team;
	bool waits_for_event = order->event && (order->undeferred || parent->final);
	if (order->event) {
		task->event_open = true;
		*order->event = task;
		if (order->data)
			*(void **)order->data = task;
	}
	fg_spinlock_lock(&pool->lock);
	task->predecessors = 1;
	link_predecessors_locked(parent, task);
	bool precedes = task->predecessors > 1;
	task->kept = waits_for_event || (undeferred && precedes);
	if (undeferred || !precedes)
		task->predecessors--;
	add_locked(pool, parent, task);
	fg_spinlock_unlock(&pool->lock);

	if (precedes && !undeferred) {
		defer(self, task, order);
		return;
	}
	if (precedes) {
		fg_task_wait_predecessors(self, task);
		task->kept = waits_for_event; /* read only where it completes or has predecessors */
	}
	run_now(self, task, order);
	settle(pool, task, true);
	if (waits_for_event) {
		fg_task_wait_complete(self, task);
		free(task);
	}
}

void
fg_task_create(struct fg_identity *self, const struct fg_task_order *order)
{
	struct fg_task *parent = fg_task_current_or_null(self);
	struct fg_taskgroup *group = parent ? parent->group : NULL;
	if (fg_env.cancellation && fg_cancel_drops_tasks(fg_task_pool(self), group))
		return;
	if (order->event || (order->depend && parent && fg_load_acquire(&parent->unfinished)))
		create_lasting(self, order);
	else
		create_simple(self, parent, order);
}

void
fg_task_wait_depend(struct fg_identity *self, void **depend)
{
	struct fg_task *parent = fg_task_current_or_null(self);
	if (!parent || fg_load_acquire(&parent->unfinished) == 0)
		return;
	struct fg_task *task = task_new(self, parent, &(struct fg_task_order){.depend = depend, .align = 1});
	task->kept = true;
	fg_spinlock_lock(&task->pool->lock);
	link_predecessors_locked(parent, task);
	fg_spinlock_unlock(&task->pool->lock);
	fg_task_wait_predecessors(self, task);
	free(task);
}
