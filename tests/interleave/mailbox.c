/* Mailboxes: batches of tasks go from the deque of a producer to the deque of another member, while others steal. Each
 * task is taken once. A member that sleeps is woken for a batch. A batch is counted out as one.
 *
 * Sources: team/tasks/deque.c team/tasks/store.c team/tasks/queue.c team/tasks/pool.c team/tasks/wake.c
 * Sources: team/tasks/wait.c team/tasks/limit.c team/tasks/thief.c team/tasks/victims.c team/tasks/mail.c
 * Constants: exec/loop/park.c KERNEL_SPIN_NS=1
 * Constants: team/tasks/mail.c LEAST=2
 * Constants: team/tasks/wait.c YIELDS=1
 * With: floor
 */
#include <string.h>

#include "exec/thread/worker_parts.h"
#include "interleave/floor.h"
#include "interleave/model.h"
#include "team/hooks.h"
#include "team/tasks/mail.h"
#include "team/tasks/ready.h"
#include "team/tasks/wait.h"

struct fg_env fg_env;

const struct fg_team_hooks fg_team_hooks; /* no pool is opened or freed here */

#define TASKS 5
static struct fg_task_pool *pool;
static struct fg_deferred task[TASKS];
static struct fg_family *family[2];
static unsigned made[TASKS], ran[TASKS];
static struct fg_atomic_u32 runs;

/* No task here has dependences. */
void
fg_depend_table_rest(struct fg_task *around, struct fg_store *store)
{
	(void)around;
	(void)store;
}

struct fg_family *
fg_task_within(const struct fg_task *waits)
{
	return waits->children;
}

void
fg_task_ready(struct fg_task_member *member, struct fg_deferred *given_back)
{
	fg_task_keep(member, given_back, given_back->task.family);
	fg_task_wake_one(member, member->pool, given_back->task.family);
}

static void
got(struct fg_deferred *taken)
{
	if (!taken)
		return;
	unsigned k = (unsigned)(taken - task);
	model_assert(k < TASKS && made[k] == 1);
	ran[k]++;
}

struct fg_deferred *
fg_task_run(struct fg_identity *self, struct fg_task_member *member, struct fg_deferred *taken)
{
	(void)self;
	(void)member;
	got(taken);
	fg_add_release(&runs, 1);
	return NULL;
}

static struct fg_task_member *
member_of(unsigned i)
{
	return fg_load_relaxed(&pool->member[i]);
}

static void
push(unsigned k, unsigned of)
{
	made[k] = 1;
	task[k].task.family = family[of];
	fg_store_relaxed(&task[k].missing, FG_TASK_BODY);
	task[k].block.store = &member_of(0)->store;
	task[k].block.kind = FG_BLOCK_256;
	fg_task_keep(member_of(0), &task[k], family[of]);
}

/* A pool with one mailbox, as a large team has. */
static void
setup(void)
{
	floor_setup();
	size_t size = fg_task_pool_bytes(3) + sizeof(struct fg_scout);
	pool = memset(model_alloc(size), 0, size);
	pool->size = 3;
	pool->n_scouts = 1;
	pool->scouts = (struct fg_scout *)(((uintptr_t)&pool->member[3] + 127) & ~(uintptr_t)127);
	fg_mailbox_open(&pool->scouts->box);
	for (unsigned i = 0; i < 3; i++)
		fg_task_member_of(pool, i);
	for (unsigned i = 0; i < 2; i++) {
		family[i] = fg_store_get(&member_of(0)->store, FG_BLOCK_FAMILY, sizeof *family[i]);
		fg_family_init(family[i], NULL, member_of(0));
	}
}

static void
all_once(void)
{
	for (unsigned i = 0; i < 3; i++)
		for (struct fg_deferred *left; (left = fg_deque_pop(&member_of(i)->deque));)
			got(left);
	struct fg_mailbox *box = &pool->scouts->box;
	for (unsigned i = 0; i < fg_mailbox_holds(box); i++)
		got(box->task[i]);
	for (unsigned k = 0; k < TASKS; k++)
		model_assert(ran[k] == made[k]);
}

/* The producer leaves a batch, and another one of another family. */
static void
mail_producer(void)
{
	push(0, 0);
	push(1, 0);
	push(2, 1);
	fg_task_mail(member_of(0));
	push(3, 1);
	fg_task_mail(member_of(0));
	got(fg_deque_pop(&member_of(0)->deque));
}

/* This member may take only tasks of the first family. */
static void
mail_taker(void)
{
	struct fg_mailbox *box = &pool->scouts->box;
	for (unsigned i = 0; i < 2; i++) {
		struct fg_deferred *taken = NULL;
		if (model_broken("a batch that was not looked at")) {
			uint64_t state, later;
			void *of = fg_mailbox_family(box, &state);
			if (of == family[0] && fg_mailbox_family(box, &later) && fg_mailbox_take(box, later)) {
				taken = box->task[0];
				fg_mailbox_taken(box);
			}
		} else
			taken = fg_task_mail_take(member_of(1), box, family[0]);
		model_assert(!taken || taken->task.family == family[0]);
		got(taken);
	}
}

static void
mail_any(void)
{
	got(fg_task_mail_take(member_of(2), &pool->scouts->box, NULL));
}

static bool
any(void *of, void *seen)
{
	*(void **)seen = of;
	return true;
}

static void
mail_thief(void)
{
	void *of;
	got(fg_deque_steal(&member_of(0)->deque, any, &of));
}
MODEL_SCENARIO(mail, .setup = setup, .thread = {mail_producer, mail_any}, .check = all_once,
	       .broken = MODEL_BROKEN("weaken fg_mailbox_fill:store_release", "weaken fg_mailbox_family:load_acquire",
				      "weaken fg_mailbox_claim:cas_acquire", "weaken fg_mailbox_taken:store_release"));
MODEL_SCENARIO(mail_takers, .setup = setup, .thread = {mail_producer, mail_taker, mail_any}, .check = all_once,
	       .broken = MODEL_BROKEN("drop fg_mailbox_take:cas_relaxed", "fault a batch that was not looked at"));
MODEL_SCENARIO(mail_thieves, .setup = setup, .thread = {mail_producer, mail_thief, mail_any}, .check = all_once,
	       .broken = MODEL_BROKEN("drop fg_deque_take_oldest:cas_acq_rel"));

/* Two producers want the same mailbox. */
static void
second_producer(void)
{
	struct fg_mailbox *box = &pool->scouts->box;
	if (!fg_mailbox_claim(box))
		return;
	made[4] = 1;
	task[4].task.family = family[1];
	box->task[0] = &task[4];
	fg_mailbox_fill(box, 1, family[1]);
}
MODEL_SCENARIO(mail_producers, .setup = setup, .thread = {mail_producer, second_producer, mail_any}, .check = all_once,
	       .broken = MODEL_BROKEN("drop fg_mailbox_claim:cas_acquire", "weaken fg_mailbox_claim:cas_acquire"));

/* A member waits until two tasks have run, and runs them itself. It may sleep before they are in the mailbox. */
static bool
both_ran(void *arg)
{
	(void)arg;
	return fg_load_acquire(&runs) == 2;
}

static void
sleeper(void)
{
	struct fg_root *root = floor_root(false);
	fg_task_wait(&root->identity, member_of(1), NULL, both_ran, NULL);
}

/* The tasks were there before the member that waits. No other wake-up follows the one for the batch. */
static void
mail_to_sleeper(void)
{
	fg_task_mail(member_of(0));
}

static void
sleep_setup(void)
{
	setup();
	push(0, 0);
	push(1, 0);
}
MODEL_SCENARIO(mail_sleep, .setup = sleep_setup, .thread = {sleeper, mail_to_sleeper}, .check = all_once,
	       .broken = MODEL_BROKEN("drop wake", "weaken fg_fence_light:fence_seq_cst"));

/* Two members run the tasks of one batch. The member that waits for them sees what both wrote. The last one gives the
 * memory of both back. */
static uint64_t worked[2];

static void
batch_setup(void)
{
	setup();
	for (unsigned k = 0; k < 2; k++)
		push(k, 0);
	family[0]->pending = 2;
	fg_task_batch_make((void *[]){&task[0], &task[1]}, 2);
}

static void
batch_run(unsigned k)
{
	worked[k] = 1;
	struct fg_deferred *first = fg_task_batch_leave(&task[k]);
	if (!first)
		return;
	model_assert(worked[0] == 1 && worked[1] == 1 && first == &task[0] && first->batch.size == 2);
	struct fg_block *last = &first->batch.last->block;
	model_assert(!fg_family_leave_many(first->task.family, false, 2));
	fg_store_put_chain(&first->block, last);
}

static void
batch_first(void)
{
	batch_run(0);
}

static void
batch_second(void)
{
	batch_run(1);
}

/* The owner of the memory. */
static void
batch_waiter(void)
{
	struct fg_store *store = &member_of(0)->store;
	while (!fg_family_over(family[0]))
		fg_carrier->pause();
	model_assert(worked[0] == 1 && worked[1] == 1);
	while (!fg_load_relaxed(&store->returned))
		fg_carrier->pause();
	struct fg_block *one = fg_store_get(store, FG_BLOCK_256, 256), *other = fg_store_get(store, FG_BLOCK_256, 256);
	model_assert((one == &task[1].block && other == &task[0].block) ||
		     (one == &task[0].block && other == &task[1].block));
}
MODEL_SCENARIO(mail_batch, .setup = batch_setup, .thread = {batch_first, batch_second, batch_waiter},
	       .broken = MODEL_BROKEN("weaken fg_task_batch_leave:sub_acq_rel", "drop fg_task_batch_leave:sub_acq_rel",
				      "weaken fg_store_put_chain:cas_release",
				      "weaken fg_family_leave_many:add_acq_rel"));
