/* Claiming and stealing from runqueues, and workers that sleep and are woken. Each is tested by itself, with no team
 * around it.
 *
 * With: floor
 */
#include "exec/loop/idle.h"
#include "exec/loop/loop.h"
#include "exec/thread/levels.h"
#include "exec/thread/root_worker.h"
#include "exec/thread/wake.h"
#include "interleave/floor.h"
#include "interleave/model.h"
#include "sched/policy.h"

#define MEMBERS 4

static struct fg_runqueue *leaf[2];
static struct fg_bubble bubble;
static struct fg_entity thread;
static unsigned claims[MEMBERS], thread_claims, told;

static void
setup(void)
{
	floor_setup();
	fg_levels_start();
	leaf[0] = fg_levels_leaf(0);
	leaf[1] = fg_levels_leaf(1);
	thread.kind = FG_ENTITY_THREAD;
}

static void
claimed(const struct fg_claim *claim)
{
	model_assert(told == 42);
	if (claim->thread)
		thread_claims++;
	else
		claims[claim->member]++;
}

/* The owner publishes a bubble and runs its members. Two thieves look for it. */
static void
owner(void)
{
	told = 42;
	fg_bubble_init(&bubble, MEMBERS);
	fg_runqueue_push(leaf[0], &bubble.entity);
	unsigned member;
	while ((member = fg_bubble_claim(&bubble).member))
		claims[member]++;
}

static void
thief(void)
{
	struct fg_claim claim = {0};
	for (unsigned i = 0; i < 2; i++)
		if (fg_policy_idle(leaf[1], i, &claim))
			claimed(&claim);
}

static void
check_claims(void)
{
	for (unsigned k = 1; k < MEMBERS; k++)
		model_assert(claims[k] == 1);
	model_assert(fg_load_relaxed(&bubble.entity.holder) == NULL);
	model_assert(fg_entity_list_empty(&leaf[0]->holder.unborn) && !fg_runqueue_has_work(leaf[0]));
}
MODEL_SCENARIO(steal, .setup = setup, .thread = {owner, thief, thief}, .check = check_claims,
	       .broken = MODEL_BROKEN("weaken fg_spinlock_lock:cas_acquire", "drop fg_spinlock_lock:cas_acquire",
				      "weaken fg_spinlock_unlock:exchange_acq_rel",
				      "drop fg_holder_remove_locked:store_relaxed",
				      "drop fg_holder_insert_locked:store_release"));

/* A ready thread is taken once. */
static void
pusher(void)
{
	told = 42;
	fg_runqueue_push(leaf[0], &thread);
	struct fg_claim claim = {0};
	if (fg_runqueue_claim(leaf[0], FG_NEWEST, false, &claim))
		claimed(&claim);
}

static void
check_thread(void)
{
	model_assert(thread_claims == 1);
}
MODEL_SCENARIO(steal_thread, .setup = setup, .thread = {pusher, thief, thief}, .check = check_thread,
	       .broken = MODEL_BROKEN("weaken fg_spinlock_lock:cas_acquire",
				      "weaken fg_spinlock_unlock:exchange_acq_rel",
				      "drop fg_holder_count_locked:store_relaxed"));

/* A worker sleeps until its own wait comes true, or until work lies on some runqueue. */
static struct fg_worker *sleeper_worker;
static struct fg_atomic_u32 thing, worker_known;

static bool
thing_there(struct fg_worker *worker)
{
	(void)worker;
	return fg_load_acquire(&thing) != 0;
}

static void
sleeper(void)
{
	sleeper_worker = fg_root_worker(floor_root(true));
	fg_store_release(&worker_known, 1);
	while (!thing_there(sleeper_worker))
		fg_idle_sleep(sleeper_worker, thing_there);
	model_assert(told == 42);
}

static void
giver(void)
{
	told = 42;
	while (!fg_load_acquire(&worker_known))
		fg_carrier->pause();
	fg_store_release(&thing, 1);
	fg_wake_worker(sleeper_worker);
}
MODEL_SCENARIO(sleep_own, .setup = setup, .thread = {sleeper, giver},
	       .broken = MODEL_BROKEN("weaken fg_fence_heavy:fence_seq_cst", "weaken fg_fence_light:fence_seq_cst",
				      "drop wake", "drop wake_if_asleep:exchange_acq_rel",
				      "weaken giver:store_release"));

static void
work_sleeper(void)
{
	struct fg_worker *worker = fg_root_worker(floor_root(true));
	while (!fg_worker_has_work(worker))
		fg_idle_sleep(worker, NULL);
}

static void
work_giver(void)
{
	fg_runqueue_push(leaf[0], &thread);
	fg_wake_any(leaf[0], NULL);
}
MODEL_SCENARIO(sleep_any, .setup = setup, .thread = {work_sleeper, work_giver},
	       .broken = MODEL_BROKEN("weaken fg_fence_heavy:fence_seq_cst", "weaken fg_fence_light:fence_seq_cst",
				      "drop wake", "drop fg_idle_sleep:add_relaxed",
				      "drop wake_if_asleep:exchange_acq_rel"));

/* Workers of threads of the program may take only entities of their own root. Each sleeps until one of these lies
 * there, whatever else does. */
static struct fg_bubble own_bubble[2];
static struct fg_entity own_thread[2];
static struct fg_atomic_u32 known;

static void
own_sleeper(unsigned i)
{
	struct fg_root *root = floor_root(true);
	own_bubble[i].origin = root;
	own_thread[i].bubble = &own_bubble[i];
	fg_add_acq_rel(&known, 1);
	while (!fg_worker_has_work(fg_root_worker(root)))
		fg_idle_sleep(fg_root_worker(root), NULL);
	struct fg_claim claim = {.only = root};
	model_assert(fg_runqueue_claim(leaf[0], FG_NEWEST, false, &claim) && claim.thread == &own_thread[i]);
}

static void
own_first(void)
{
	own_sleeper(0);
}

static void
own_second(void)
{
	own_sleeper(1);
}

static void
own_giver(void)
{
	while (fg_load_acquire(&known) < 2)
		fg_carrier->pause();
	for (unsigned i = 0; i < 2; i++) {
		fg_runqueue_push(leaf[0], &own_thread[i]);
		fg_wake_any(leaf[0], own_bubble[model_broken("the wrong one") ? 1 - i : i].origin);
	}
}

static void
own_giver_unknown(void)
{
	while (fg_load_acquire(&known) < 2)
		fg_carrier->pause();
	for (unsigned i = 0; i < 2; i++) {
		fg_runqueue_push(leaf[0], &own_thread[i]);
		fg_wake_any(leaf[0], NULL);
	}
}

static void
own_setup(void)
{
	setup();
	fg_store_relaxed(&fg_bubble_origins.several, 1);
}
MODEL_SCENARIO(sleep_several, .setup = own_setup, .thread = {own_first, own_second, own_giver},
	       .broken = MODEL_BROKEN("fault the wrong one", "weaken fg_fence_heavy:fence_seq_cst",
				      "weaken fg_fence_light:fence_seq_cst", "drop wake"));
MODEL_SCENARIO(sleep_unknown, .setup = own_setup, .thread = {own_first, own_second, own_giver_unknown},
	       .broken = MODEL_BROKEN("weaken fg_fence_heavy:fence_seq_cst", "drop wake"));

/* The worker remembers that the entities there are not for it. */
static void
vain_setup(void)
{
	own_setup();
	own_bubble[1].origin = &own_bubble[1];
	own_thread[1].bubble = &own_bubble[1];
	fg_runqueue_push(leaf[0], &own_thread[1]);
}

static void
vain_giver(void)
{
	while (!fg_load_acquire(&known))
		fg_carrier->pause();
	fg_runqueue_push(leaf[0], &own_thread[0]);
	fg_wake_any(leaf[0], own_bubble[0].origin);
}
MODEL_SCENARIO(sleep_vain, .setup = vain_setup, .thread = {own_first, vain_giver},
	       .broken = MODEL_BROKEN("drop wake", "drop fg_holder_insert_locked:store_relaxed"));
