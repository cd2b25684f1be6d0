/* The policies' own moves against workers that claim, publish and join.
 *
 * Sources: forest/check.c
 * With: floor
 */
#include "exec/loop/idle.h"
#include "exec/loop/loop.h"
#include "exec/loop/ready.h"
#include "exec/thread/root_worker.h"
#include "exec/thread/wake.h"
#include "exec/thread/whole_worker.h"
#include "exec/thread/worker_parts.h"
#include "forest/move.h"
#include "interleave/policies.h"

/* Affinity takes one member of a lone bubble and moves it to the level that is common to both. Its owner claims and
 * waits meanwhile. */
static void
rise_thief(void)
{
	while (look(leaf[3], true))
		;
}

MODEL_SCENARIO(rise, .setup = setup, .thread = {rise_owner, rise_thief}, .check = check_bubble,
	       .broken = MODEL_BROKEN("weaken fg_spinlock_unlock:exchange_acq_rel",
				      "weaken fg_spinlock_lock:cas_acquire",
				      "drop fg_holder_insert_locked:store_release",
				      "drop fg_holder_remove_locked:store_relaxed", "drop runs_member:sub_acq_rel"));

/* The same with two thieves from different nodes. One finds the member where the other has put it. Wrong policies:
 * the rest goes where its owner does not look; the member is taken without the lock. */
static bool
idle_wrong(void *self, struct fg_runqueue *pu, unsigned turn, struct fg_claim *claim)
{
	bool unlocked = model_broken("unlocked");
	(void)self, (void)turn;
	if (fgomp_queue_count(leaf[0]) == 0)
		return false;
	if (!unlocked)
		fgomp_queue_lock(leaf[0]);
	struct fg_entity *entity = fgomp_holder_first(fgomp_queue_holder(leaf[0]));
	if (entity)
		fgomp_claim(entity, claim);
	bool rises = entity && fgomp_entity_holder(entity);
	if (rises)
		fgomp_take(entity);
	if (!unlocked)
		fgomp_queue_unlock(leaf[0]);
	if (rises)
		fgomp_put(entity, unlocked ? top : pu);
	return entity;
}
static const struct fgomp_sched wrong = {.abi = FGOMP_SCHED_ABI, .name = "wrong", .idle = idle_wrong};

static void
setup_wrong(void)
{
	setup();
	if (model_broken("unlocked") || model_broken("rises to the thief"))
		fg_policy.sched = &wrong;
}

static void
rise_neighbour(void)
{
	look(leaf[1], true);
}

static void
rise_far(void)
{
	look(leaf[3], true);
}
MODEL_SCENARIO(rise_twice, .setup = setup_wrong, .thread = {rise_owner, rise_far, rise_neighbour},
	       .check = check_bubble,
	       .broken = MODEL_BROKEN("weaken fg_spinlock_unlock:exchange_acq_rel", "drop fg_spinlock_lock:cas_acquire",
				      "fault unlocked", "fault rises to the thief"));

/* A complete subtree of a bubble that holds another. The inner bubble comes to the thief, and the rest moves up,
 * while both owners claim. */
static void
setup_subtree(void)
{
	setup();
	told = 42;
	bubble_begin(&bubble, NULL, 2);
	bubble_begin(&inner, &bubble, 3);
	fg_bubble_put_locked(&bubble, &inner.entity);
	fg_runqueue_push(leaf[0], &bubble.entity);
}

static void
subtree_owner(void)
{
	own(&bubble, leaf[0], false);
}

static void
subtree_inner_owner(void)
{
	own(&inner, leaf[0], false);
}

static void
check_subtree(void)
{
	all_ran(claims, 2);
	all_ran(inner_claims, 3);
	nothing_left();
}
MODEL_SCENARIO(subtree, .setup = setup_subtree, .thread = {subtree_owner, subtree_inner_owner, rise_thief},
	       .check = check_subtree,
	       .broken = MODEL_BROKEN("weaken fg_spinlock_unlock:exchange_acq_rel",
				      "weaken fg_spinlock_lock:cas_acquire",
				      "drop fg_holder_remove_locked:store_relaxed"));

/* A bubble that the policy bursts. Its members lie on several runqueues before its parent goes on. The next region
 * uses it again. */
static void
burst_parent(void)
{
	told = 42;
	for (unsigned region = 0; region < 2; region++) {
		bubble_begin(&bubble, NULL, MEMBERS);
		model_assert(!fg_policy_born(&bubble, top, leaf[0]));
		own(&bubble, leaf[0], true);
	}
}

static void
burst_thief(void)
{
	look(leaf[2], true);
	look(leaf[2], true);
}

static void
check_burst(void)
{
	for (unsigned k = 1; k < MEMBERS; k++)
		model_assert(claims[k] == 2);
	nothing_left();
	model_assert(fg_load_relaxed(&fg_policy.failed) == 0);
}
MODEL_SCENARIO(burst, .setup = setup, .thread = {burst_parent, burst_thief}, .check = check_burst,
	       .broken = MODEL_BROKEN("weaken fg_spinlock_unlock:exchange_acq_rel",
				      "weaken fg_spinlock_lock:cas_acquire", "weaken runs_member:sub_acq_rel",
				      "weaken own:load_acquire", "drop fg_holder_count_locked:store_relaxed"));

/* Coarse: a policy locks the machine and gathers a burst bubble, against claims and pushes below. */
static struct fg_entity ready;
static unsigned pushed;

static void
setup_burst(void)
{
	setup();
	told = 42;
	bubble_begin(&bubble, NULL, MEMBERS);
	fg_policy_born(&bubble, top, leaf[0]);
	ready.kind = FG_ENTITY_THREAD;
	ready.bubble = &bubble;
}

static bool
gather(struct fg_bubble *what, struct fg_runqueue *to)
{
	unsigned before = fg_runqueue_threads(top);
	bool some = fgomp_bubble_gather(what, top), mine = fg_policy_hand_has(&what->entity);
	if (mine)
		fgomp_put_locked(&what->entity, to);
	model_assert(fg_runqueue_threads(top) == before);
	model_assert(!some || !fg_runqueue_check(top));
	return some;
}

static void
coarse(struct fg_runqueue *to)
{
	bool fine = model_broken("fine");
	if (fine)
		fgomp_queue_lock(top);
	else
		fgomp_queue_lock_all(top);
	gather(&bubble, to);
	if (fine)
		fgomp_queue_unlock(top);
	else
		fgomp_queue_unlock_all(top);
	model_assert(fg_policy_hand_empty(&fg_policy, top));
}

static void
coarse_left(void)
{
	coarse(&node[0]);
}

static void
coarse_right(void)
{
	coarse(&node[1]);
}

static void
coarse_claimer(void)
{
	look(leaf[2], false);
}

static void
coarse_pusher(void)
{
	pushed++;
	fg_runqueue_push(leaf[1], &ready);
	look(leaf[1], false);
}

/* Entities that no worker has run are still there. */
static void
check_rest(void)
{
	for (unsigned i = 0; i < 4; i++)
		while (look(leaf[i], false))
			;
	check_bubble();
	model_assert(fg_load_relaxed(&thread_claims) == pushed);
}

MODEL_SCENARIO(coarse, .setup = setup_burst, .thread = {coarse_left, coarse_claimer, coarse_pusher},
	       .check = check_rest,
	       .broken = MODEL_BROKEN("fault fine", "weaken fg_spinlock_unlock:exchange_acq_rel",
				      "weaken fg_spinlock_lock:cas_acquire"));
MODEL_SCENARIO(coarse_twice, .setup = setup_burst, .thread = {coarse_left, coarse_right, coarse_claimer},
	       .check = check_rest, .broken = MODEL_BROKEN("fault fine", "weaken fg_spinlock_unlock:exchange_acq_rel"));

/* It finds the bubble by a member that lies there already, while the burst still deals out the others. */
static void
coarse_early(void)
{
	fgomp_queue_lock_all(top);
	struct fg_entity *found = NULL;
	for (unsigned i = 1; i < 4 && !found; i++)
		found = fgomp_holder_first(fgomp_queue_holder(leaf[i]));
	if (found && fgomp_entity_number(found) > 0)
		model_assert(gather(fgomp_entity_parent(found), top)); /* the thread that has burst it has let it go */
	fgomp_queue_unlock_all(top);
	model_assert(fg_policy_hand_empty(&fg_policy, top));
}

static void
early_parent(void)
{
	told = 42;
	bubble_begin(&bubble, NULL, MEMBERS);
	fg_policy_born(&bubble, top, leaf[0]);
	own(&bubble, leaf[0], true);
}
MODEL_SCENARIO(coarse_early, .setup = setup, .thread = {early_parent, coarse_early}, .check = check_bubble,
	       .broken = MODEL_BROKEN("weaken fg_spinlock_unlock:exchange_acq_rel",
				      "weaken fg_spinlock_lock:cas_acquire", "drop fg_policy_hand_put:store_release"));

/* `woken` puts threads on another runqueue than their waker's. A worker that sleeps below that runqueue wakes. */
static struct fg_identity blocked[2];
static struct fg_whole_worker last; /* they ran there last */

static void
setup_woken(void)
{
	setup();
	fg_store_relaxed(&last.worker.leaf, leaf[0]);
	fg_policy.sched = &fg_sched_global;
	fg_policies.wants = fg_sched_wants(fg_policy.sched);
	for (unsigned i = 0; i < 2; i++)
		blocked[i] = (struct fg_identity){.entity.kind = FG_ENTITY_THREAD, .worker = &last.worker};
}

static void
woken_sleeper(void)
{
	struct fg_worker *worker = fg_root_worker(floor_root(true));
	fg_store_relaxed(&worker->leaf, leaf[3]);
	fg_store_relaxed(&worker->seat, leaf[3]);
	for (unsigned taken = 0; taken < 2; taken++)
		while (!look(leaf[3], false))
			fg_idle_sleep(worker, NULL);
}

static void
woken_waker(void)
{
	floor_root(true);
	for (unsigned i = 0; i < 2; i++) {
		if (!model_broken("wakes where it stands")) {
			fg_worker_ready(&blocked[i]);
			continue;
		}
		fg_runqueue_push(fg_policy_woken(&blocked[i].entity, leaf[0], leaf[0]), &blocked[i].entity);
		fg_wake_any(leaf[0], NULL);
	}
}

static void
check_woken(void)
{
	model_assert(fg_load_relaxed(&thread_claims) == 2);
	nothing_left();
}
MODEL_SCENARIO(woken, .setup = setup_woken, .thread = {woken_sleeper, woken_waker}, .check = check_woken,
	       .broken = MODEL_BROKEN("fault wakes where it stands", "weaken fg_fence_heavy:fence_seq_cst",
				      "weaken fg_fence_light:fence_seq_cst", "drop wake_if_asleep:exchange_acq_rel",
				      "drop wake"));
