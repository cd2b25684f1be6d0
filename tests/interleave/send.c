/* A thread is sent to another PU while it becomes ready, is claimed, runs and gives way (sched/live_tree.c).
 *
 * Sources: forest/check.c
 * With: floor
 */
#include "exec/loop/loop.h"
#include "exec/loop/ready.h"
#include "exec/thread/whole_worker.h"
#include "exec/thread/worker_parts.h"
#include "forestgomp/sched.h"
#include "interleave/policies.h"

static struct fg_identity sent; /* the thread; it is a donor, and runs until it was sent */
static struct fg_whole_worker last;	/* it ran there last */
static struct fg_atomic_u32 arrived;

static void
setup_sent(void)
{
	setup();
	fg_policy.sched = &fg_sched_spread;
	fg_policies.wants = fg_sched_wants(fg_policy.sched);
	fg_store_relaxed(&last.worker.leaf, leaf[0]);
	sent = (struct fg_identity){.entity.kind = FG_ENTITY_THREAD, .worker = &last.worker, .kind = FG_DONOR};
}

static bool
claim(struct fg_runqueue *queue)
{
	struct fg_claim claim = {0};
	return fg_runqueue_claim(queue, FG_NEWEST, false, &claim);
}

/* Its old PU runs it, if it comes there, up to a switch point at which it is to leave. */
static void
old_pu(void)
{
	floor_root(true);
	while (!fg_load_acquire(&arrived)) {
		if (!claim(leaf[0])) {
			fg_carrier->pause();
			continue;
		}
		while (!fg_load_relaxed(&sent.entity.sent))
			fg_carrier->pause();
		fg_worker_ready(&sent);
	}
}

static void
new_pu(void)
{
	while (!claim(leaf[3]))
		fg_carrier->pause();
	fg_store_release(&arrived, 1);
}

static void
wakes(void)
{
	floor_root(true);
	fg_worker_ready(&sent);
}

/* The broken variant tells the thread where to go, and does not see that it lies somewhere already. */
static void
sends(void)
{
	if (model_broken("without a mark"))
		fg_store_relaxed(&sent.entity.level, leaf[3]);
	else
		model_assert(fgomp_thread_send(&sent.entity, leaf[3]));
}

static void
check_sent(void)
{
	model_assert(fg_load_relaxed(&arrived) == 1);
	model_assert(!fg_load_relaxed(&sent.entity.holder) && !fg_load_relaxed(&sent.entity.sent));
	for (unsigned i = 0; i < 4; i++)
		model_assert(!fg_runqueue_has_work(leaf[i]));
}
MODEL_SCENARIO(sent, .setup = setup_sent, .thread = {wakes, sends, old_pu, new_pu}, .check = check_sent,
	       .broken = MODEL_BROKEN("fault without a mark", "drop fg_live_tree_send:store_release",
				      "drop sent_take:cas_acquire", "weaken fg_spinlock_unlock:exchange_acq_rel",
				      "weaken fg_spinlock_lock:cas_acquire"));
