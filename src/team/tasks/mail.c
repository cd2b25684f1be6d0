/* Mail (floor: team): see mail.h. */
#include "team/tasks/mail.h"

#include "team/tasks/ready.h"

#define LEAST 16 /* tasks of a batch */

/* True: the tasks can be counted out together. The caller has made all of them, no event delays one, and the race
 * detector need not know of each. */
static bool
counts_as_one(const struct fg_task_member *member, void *const *tasks, unsigned n)
{
	const struct fg_deferred *first = tasks[0];
	bool as_one = !fg_watched();
	for (unsigned i = 0; i < n && as_one; i++) {
		const struct fg_deferred *task = tasks[i];
		as_one = task->counted == FG_TASK_ALONE && task->created_in == first->created_in &&
			 task->block.store == &member->store && task->block.kind != FG_BLOCK_LARGE &&
			 fg_load_relaxed(&task->missing) == FG_TASK_BODY;
	}
	return as_one;
}

void
fg_task_batch_make(void *const *tasks, unsigned n)
{
	struct fg_deferred *first = tasks[0];
	for (unsigned i = 0; i < n; i++) {
		struct fg_deferred *task = tasks[i], *next = i + 1 < n ? tasks[i + 1] : NULL;
		assert(task->counted == FG_TASK_ALONE && task->task.family == first->task.family);
		task->counted = FG_TASK_OF_BATCH;
		task->batch.first = first;
		task->block.next = next ? &next->block : NULL;
	}
	first->batch.last = tasks[n - 1];
	first->batch.size = n;
	fg_store_relaxed(&first->batch.left, n);
}

/* The mailbox is the caller's. */
static bool
leave(struct fg_task_member *member, struct fg_mailbox *box)
{
	void *family = NULL;
	unsigned n = fg_deque_take_oldest(&member->deque, box->task, LEAST, FG_MAILBOX_TASKS, &family);
	if (n && counts_as_one(member, box->task, n))
		fg_task_batch_make(box->task, n);
	fg_mailbox_fill(box, n, family);
	if (n)
		fg_task_wake_one(member, member->pool, family);
	return n;
}

bool
fg_task_mail(struct fg_task_member *member)
{
	struct fg_task_pool *pool = member->pool;
	for (unsigned i = 0; i < pool->n_scouts; i++) {
		struct fg_mailbox *box = &pool->scouts[member->box_at++ % pool->n_scouts].box;
		if (fg_mailbox_claim(box))
			return leave(member, box);
	}
	return false;
}

unsigned
fg_task_mail_empty(const struct fg_task_member *member, struct fg_mailbox **box, unsigned most)
{
	const struct fg_task_pool *pool = member->pool;
	unsigned n = 0;
	for (unsigned i = 0; i < pool->n_scouts && n < most; i++) {
		box[n] = &pool->scouts[i].box;
		if (&pool->scouts[i] != member->scout && fg_mailbox_is_empty(box[n]))
			fg_prefetch_write(box[n++]);
	}
	return n;
}

bool
fg_task_mail_one(struct fg_task_member *member, struct fg_deferred *task, struct fg_mailbox *box)
{
	struct fg_family *family = task->task.family;
	if (!fg_mailbox_claim(box))
		return false;
	box->task[0] = task;
	fg_mailbox_fill(box, 1, family); /* the task may be gone now */
	fg_task_wake_one(member, member->pool, family);
	return true;
}

struct fg_deferred *
fg_task_mail_take(struct fg_task_member *member, struct fg_mailbox *box, struct fg_family *within)
{
	uint64_t state;
	struct fg_family *family = fg_mailbox_family(box, &state);
	unsigned n = family && fg_family_may_run(family, within) ? fg_mailbox_take(box, state) : 0;
	if (n == 0)
		return NULL;
	struct fg_deferred *task = box->task[0];
	assert(task->task.family == family);
	for (unsigned i = 1; i < n; i++)
		fg_task_keep(member, box->task[i], family);
	fg_mailbox_taken(box);
	/* A member that looked meanwhile saw the tasks in neither place, and sleeps. */
	if (n > 1)
		fg_task_wake_one(member, member->pool, family);
	return task;
}

struct fg_deferred *
fg_task_mail_take_any(struct fg_task_member *member, struct fg_family *within)
{
	struct fg_deferred *task = NULL;
	for (unsigned i = 0; i < member->pool->n_scouts && !task; i++)
		task = fg_task_mail_take(member, &member->pool->scouts[i].box, within);
	return task;
}

bool
fg_task_mail_waits(const struct fg_task_pool *pool, const struct fg_family *within)
{
	bool found = false;
	for (unsigned i = 0; i < pool->n_scouts && !found; i++) {
		uint64_t state;
		struct fg_family *family = fg_mailbox_family(&pool->scouts[i].box, &state);
		found = family && fg_family_may_run(family, within);
	}
	return found;
}
