/* Tasks: members that sleep until there is a task or until all are complete.
 *
 * Sources: team/tasks/deque.c team/tasks/store.c team/tasks/queue.c team/tasks/pool.c team/tasks/wake.c
 * Sources: team/tasks/wait.c
 * Sources: team/tasks/limit.c team/tasks/thief.c team/tasks/victims.c team/tasks/mail.c
 * Constants: exec/loop/park.c KERNEL_SPIN_NS=1
 * Constants: team/tasks/deque.c RING_FIRST=2
 * Constants: team/tasks/store.c SLAB_FAMILIES=2
 * Constants: team/tasks/thief.c LEAPFROGS=1
 * Constants: team/tasks/wait.c YIELDS=1
 * With: floor
 */
#include "exec/thread/whole_worker.h"
#include "interleave/floor.h"
#include "interleave/model.h"
#include "exec/thread/worker_parts.h"
#include "machine/level.h"
#include "team/hooks.h"
#include "team/tasks/depend_table.h"
#include "team/tasks/ready.h"
#include "team/tasks/wait.h"

struct fg_env fg_env;

const struct fg_team_hooks fg_team_hooks; /* no pool is opened or freed here */

void
fg_depend_table_rest(struct fg_task *with_dependences, struct fg_store *own)
{
	(void)own;
	model_assert(!with_dependences);
}

struct fg_family *
fg_task_within(const struct fg_task *waits)
{
	return waits->children;
}

/* Sleep. One member waits, at a barrier or for a child. The other makes a task or completes one. */
static struct fg_task_pool *pool;
static struct fg_deferred task;
static unsigned ran;
static struct fg_atomic_u32 runs;

static void
complete(struct fg_task_member *member)
{
	fg_store_release(&member->completed, fg_load_relaxed(&member->completed) + 1);
}

/* A task of the phase after the barrier. */
static struct fg_deferred next_task;
static bool second_is_behind;
/* The first of two tasks that follow each other. */
static struct fg_deferred lead_task;
static struct fg_atomic_u32 lead_over;
/* A task that makes another and waits for it. */
static struct fg_deferred child, grandchild;
static void run_child(struct fg_identity *self, struct fg_task_member *member);
static void run_grandchild(struct fg_task_member *member);
static struct fg_family some_family;

static void
offer(struct fg_task_member *member, struct fg_deferred *made_now, struct fg_family *family)
{
	made_now->task.family = family;
	if (model_broken("the first task is seen before its maker")) {
		fg_deque_open(&member->deque, member + 1);
		fg_deque_push(&member->deque, made_now, family);
		fg_task_wake_one(member, member->pool, NULL);
		fg_store_release(&member->pool->producers, member);
		return;
	}
	fg_task_keep(member, made_now, family);
}

struct fg_deferred *
fg_task_run(struct fg_identity *self, struct fg_task_member *member, struct fg_deferred *taken)
{
	if (taken == &child) {
		run_child(self, member);
		return NULL;
	}
	if (taken == &grandchild) {
		run_grandchild(member);
		return NULL;
	}
	if (taken == &lead_task) {
		fg_store_release(&lead_over, 1);
		complete(member);
		fg_task_wake_all(member->pool);
		return &task;
	}
	if (taken == &next_task) {
		model_assert(second_is_behind || member != fg_load_relaxed(&member->pool->member[1]));
		complete(member);
		return NULL;
	}
	model_assert(taken == &task && ran == 0);
	ran = 1;
	fg_add_release(&runs, 1);
	complete(member);
	return NULL;
}

void
fg_task_ready(struct fg_task_member *member, struct fg_deferred *given_back)
{
	if (given_back == &task) {
		if (model_broken("what is left is nobody's"))
			return;
		offer(member, given_back, &some_family);
		fg_task_wake_one(member, member->pool, NULL);
		return;
	}
	model_assert(given_back == &next_task);
	if (model_broken("what is late is begun"))
		fg_task_run(fg_self(), member, given_back);
	else
		offer(member, given_back, &some_family);
}

static void
pool_make_for(unsigned size, unsigned scouts)
{
	floor_setup();
	pool = model_alloc(fg_task_pool_bytes(size) + scouts * sizeof(struct fg_scout));
	pool->size = size;
	pool->n_scouts = (uint16_t)scouts;
	pool->scouts = (struct fg_scout *)(((uintptr_t)&pool->member[size] + 127) & ~(uintptr_t)127);
	for (unsigned i = 0; i < size; i++)
		fg_task_member_of(pool, i);
}

static void
pool_make(unsigned size)
{
	pool_make_for(size, 0);
}

static void
pool_setup(void)
{
	pool_make(2);
}

static struct fg_task_member *
member_of(unsigned i)
{
	return fg_load_relaxed(&pool->member[i]);
}

static bool
has_run(void *arg)
{
	(void)arg;
	return fg_load_acquire(&runs) != 0;
}

static void
maker(void)
{
	struct fg_task_member *member = member_of(0);
	fg_store_relaxed(&member->created, 1);
	offer(member, &task, &some_family);
	if (!model_broken("the first task is seen before its maker"))
		fg_task_wake_one(member, pool, NULL);
}

static void
taker(void)
{
	struct fg_root *root = floor_root(false);
	fg_task_wait(&root->identity, member_of(1), NULL, has_run, NULL);
	model_assert(ran == 1);
}
MODEL_SCENARIO(task_sleep, .setup = pool_setup, .thread = {taker, maker},
	       .broken = MODEL_BROKEN("weaken fg_fence_light:fence_seq_cst", "drop wake", "drop sleep_once:add_relaxed",
				      "weaken fg_deque_push:store_release", "weaken open_deque:cas_release",
				      "fault the first task is seen before its maker"));

/* The last task is complete. All members that wait for that go on, and none sees it too early. */
static void
quiet_setup(void)
{
	pool_setup();
	fg_store_relaxed(&member_of(0)->created, 1);
	offer(member_of(0), &task, &some_family);
}

static void
quiet_member(unsigned i)
{
	struct fg_root *root = floor_root(false);
	root->identity.thread.tasks = member_of(i);
	fg_task_barrier(&root->identity, pool, 1);
	model_assert(ran == 1);
}

static void
quiet_first(void)
{
	quiet_member(0);
}

static void
quiet_second(void)
{
	quiet_member(1);
}
MODEL_SCENARIO(task_quiet, .setup = quiet_setup, .thread = {quiet_first, quiet_second},
	       .broken = MODEL_BROKEN("weaken complete:store_release", "drop wake"));

/* The member that has passed the barrier makes a task at once. The member that is still at it must not begin that
 * task. */
static void
next_first(void)
{
	quiet_member(0);
	struct fg_task_member *member = member_of(0);
	fg_store_relaxed(&member->created, fg_load_relaxed(&member->created) + 1);
	offer(member, &next_task, &some_family);
	fg_task_wake_one(member, pool, NULL);
}

static void
next_second(void)
{
	quiet_member(1);
	second_is_behind = true;
}
MODEL_SCENARIO(task_next, .setup = quiet_setup, .thread = {next_first, next_second},
	       .broken = MODEL_BROKEN("fault what is late is begun"));

/* One of two sleepers is called for the task, and finds that its own wait is over. Then the other must run the task. */
static struct fg_atomic_u32 over_first;

static void
called_setup(void)
{
	pool_make(3);
}

static bool
is_over_first(void *arg)
{
	(void)arg;
	return fg_load_acquire(&over_first) != 0;
}

static void
called_first(void)
{
	struct fg_root *root = floor_root(false);
	fg_task_wait(&root->identity, member_of(1), NULL, is_over_first, NULL);
	if (fg_load_relaxed(&runs))
		fg_task_wake_all(pool); /* it may have run the task itself */
}

static void
called_second(void)
{
	struct fg_root *root = floor_root(false);
	fg_task_wait(&root->identity, member_of(2), NULL, has_run, NULL);
}

static void
called_maker(void)
{
	maker();
	fg_store_release(&over_first, 1);
	fg_task_wake_member(member_of(1), pool);
}
MODEL_SCENARIO(task_called, .setup = called_setup, .thread = {called_first, called_second, called_maker},
	       .broken = MODEL_BROKEN("weaken fg_fence_light:fence_seq_cst"));

/* The members look by groups. The maker is outside of the group of the two others, whose scout may be out for ever,
 * because it was descheduled. */
static struct fg_runqueue near_level[2];
static struct fg_whole_worker near_worker[2];
static bool scout_is_out;

static void
scout_setup(void)
{
	pool_make_for(3, 1);
	for (unsigned i = 0; i < 2; i++) {
		fg_runqueue_init(&near_level[i], NULL, i, 1);
		near_level[i].kinds = 1u << FG_L3;
		fg_store_relaxed(&near_worker[i].worker.leaf, &near_level[i]);
	}
	for (unsigned i = 0; i < 3; i++)
		fg_store_relaxed(&member_of(i)->worker, &near_worker[i > 0].worker);
	model_assert((char *)member_of(0) > (char *)pool + sizeof(struct fg_scout));
}

static void
scout_out_setup(void)
{
	scout_setup();
	scout_is_out = true;
}

static void
scout_wait(unsigned i)
{
	struct fg_root *root = floor_root(false);
	if (scout_is_out) {
		while (!fg_load_relaxed(&pool->producers))
			fg_carrier->pause();
		model_assert(fg_task_victims(member_of(i)) && member_of(i)->scout && member_of(i)->n_near == 0);
		fg_store_relaxed(&member_of(i)->scout->outings, 1);
	}
	fg_task_wait(&root->identity, member_of(i), NULL, has_run, NULL);
	model_assert(ran == 1);
	fg_task_wake_all(pool);
}

static void
scout_first(void)
{
	scout_wait(1);
}

static void
scout_second(void)
{
	scout_wait(2);
}
MODEL_SCENARIO(task_scout, .setup = scout_setup, .thread = {scout_first, scout_second, maker},
	       .broken = MODEL_BROKEN("weaken fg_fence_light:fence_seq_cst", "drop wake",
				      "weaken fg_deque_push:store_release"));
MODEL_SCENARIO(task_scout_out, .setup = scout_out_setup, .thread = {scout_first, maker},
	       .broken = MODEL_BROKEN("weaken fg_deque_push:store_release"));

/* The member that has run the first of two tasks that follow each other has taken the second, too. It runs that, or
 * leaves it to a member that sleeps. */
static bool
is_lead_over(void *arg)
{
	(void)arg;
	return fg_load_acquire(&lead_over) != 0;
}

static void
lead_first(void)
{
	struct fg_root *root = floor_root(false);
	struct fg_task_member *member = member_of(0);
	fg_store_relaxed(&member->created, 2);
	offer(member, &lead_task, &some_family);
	fg_task_wake_one(member, pool, NULL);
	fg_task_wait(&root->identity, member, NULL, is_lead_over, NULL);
	fg_task_wake_all(pool); /* it may have run both */
}

static void
lead_second(void)
{
	struct fg_root *root = floor_root(false);
	fg_task_wait(&root->identity, member_of(1), NULL, has_run, NULL);
	model_assert(ran == 1);
}
MODEL_SCENARIO(task_lead, .setup = pool_setup, .thread = {lead_first, lead_second},
	       .broken = MODEL_BROKEN("fault what is left is nobody's", "weaken fg_fence_light:fence_seq_cst"));

/* A member waits for its child, which another member steals. The child makes a grandchild, and either of the two may
 * run that. The waiter looks at the thief's deque, or at all. */
static struct fg_family *of_child, *of_grandchild;
static struct fg_atomic_u32 child_over;

static bool
children_are_over(void *family)
{
	return fg_family_over(family);
}

static void
leave(struct fg_family *family, struct fg_task_member *member)
{
	struct fg_task_member *parent = family->owner;
	model_assert(!fg_family_leave(family, parent == member));
	if (parent != member)
		fg_task_wake_member(parent, pool);
}

static void
run_grandchild(struct fg_task_member *member)
{
	ran++;
	leave(of_grandchild, member);
}

static void
run_child(struct fg_identity *self, struct fg_task_member *member)
{
	struct fg_family *family = of_grandchild = fg_store_get(&member->store, FG_BLOCK_FAMILY, sizeof *family);
	fg_family_init(family, of_child, member);
	family->pending = 1;
	offer(member, &grandchild, family);
	fg_task_wake_one(member, pool, family);
	fg_task_wait(self, member, family, children_are_over, family);
	model_assert(ran == 1 && fg_family_end(family));
	fg_family_release(family, &member->store);
	leave(of_child, member);
	if (model_broken("the thief tells too late"))
		fg_store_relaxed(&of_child->thief, member->num + 1);
	fg_store_release(&child_over, 1);
	fg_task_wake_all(pool);
}

static bool
is_child_over(void *arg)
{
	(void)arg;
	return fg_load_acquire(&child_over) != 0;
}

static void
leapfrog_setup(void)
{
	pool_setup();
	struct fg_task_member *member = member_of(0);
	of_child = fg_store_get(&member->store, FG_BLOCK_FAMILY, sizeof *of_child);
	fg_family_init(of_child, NULL, member);
	of_child->pending = 1;
	offer(member, &child, of_child);
}

/* The block of the family is used again as soon as the wait is over. No thief writes to it any more. */
static void
leapfrog_waiter(void)
{
	struct fg_root *root = floor_root(false);
	struct fg_task_member *member = member_of(0);
	fg_task_wait(&root->identity, member, of_child, children_are_over, of_child);
	model_assert(ran == 1 && fg_family_end(of_child));
	fg_family_release(of_child, &member->store);
	struct fg_family *again = fg_store_get(&member->store, FG_BLOCK_FAMILY, sizeof *again);
	fg_family_init(again, NULL, member);
	model_point("another family");
	model_assert(again == of_child && fg_load_relaxed(&again->thief) == 0);
}

static void
leapfrog_thief(void)
{
	struct fg_root *root = floor_root(false);
	fg_task_wait(&root->identity, member_of(1), NULL, is_child_over, NULL);
}
MODEL_SCENARIO(task_leapfrog, .setup = leapfrog_setup, .thread = {leapfrog_waiter, leapfrog_thief},
	       .broken = MODEL_BROKEN("weaken fg_fence_light:fence_seq_cst", "drop wake",
				      "weaken fg_family_leave_many:add_acq_rel", "fault the thief tells too late"));
