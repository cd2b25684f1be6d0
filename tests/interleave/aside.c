/* Aside: policies put things where no worker looks. Their daemons or the watchdog bring them back.
 *
 * Sources: forest/check.c exec/watch/watchdog.c
 * With: floor
 */
#include "exec/watch/watchdog.h"
#include "interleave/policies.h"
#include "sched/time_calls.h"

/* A policy puts the bubble aside when its time slice is over. Its daemon brings it back, or the watchdog does where
 * the daemon forgets it. The parent may claim on the way, or must wait until it is back. */
static struct fg_runqueue *aside;

static bool
take_first(struct fg_runqueue *from, struct fg_runqueue *to)
{
	fgomp_queue_lock(from);
	struct fg_entity *entity = fgomp_holder_first(fgomp_queue_holder(from));
	if (entity)
		fgomp_take(entity);
	fgomp_queue_unlock(from);
	if (entity)
		fgomp_put(entity, to);
	return entity;
}

static void
aside_slice(void *self, struct fg_bubble *running, struct fg_runqueue *pu)
{
	(void)self, (void)running;
	take_first(pu, aside);
}

static void
aside_daemon(void *self)
{
	(void)self;
	if (!model_broken("no daemon"))
		take_first(aside, top);
}
static const struct fgomp_sched put_aside = {
	.abi = FGOMP_SCHED_ABI, .name = "put_aside", .slice = aside_slice, .daemon = aside_daemon, .period = 1};
static const struct fgomp_sched forgets = {.abi = FGOMP_SCHED_ABI, .name = "forgets", .slice = aside_slice};

static void
setup_aside(void)
{
	setup();
	fg_policy.sched = &put_aside;
	fg_policies.wants = fg_sched_wants(fg_policy.sched);
	fg_store_relaxed(&fg_policies.first, &fg_policy);
	aside = fgomp_queue_new();
}

static void
aside_owner(void)
{
	rise_owner();
	fg_store_release(&over, 1);
}

static void
aside_policy(void)
{
	fg_policy_slice(&bubble, leaf[0]);
}

static void
aside_monitor(void)
{
	for (uint64_t now = 1; !fg_load_acquire(&over); now += 2) {
		fg_policy_daemon(&fg_policy, top);
		fg_carrier->pause();
	}
}

static void
check_aside(void)
{
	check_bubble();
	model_assert(!fg_runqueue_has_work(aside));
}
MODEL_SCENARIO(daemon, .setup = setup_aside, .thread = {aside_owner, aside_policy, aside_monitor}, .check = check_aside,
	       .broken = MODEL_BROKEN("fault no daemon", "weaken fg_spinlock_unlock:exchange_acq_rel",
				      "weaken fg_spinlock_lock:cas_acquire"));

static void
setup_forgets(void)
{
	setup();
	fg_policy.sched = &forgets;
	fg_policies.wants = fg_sched_wants(fg_policy.sched);
}

/* The watchdog says this only of a policy that has forgotten something. */
void
fg_error(const char *format, ...)
{
	if (fg_policy.sched != &forgets || model_broken("no watchdog"))
		model_fail("fg_error: %s", format);
}

static void
forgets_policy(void)
{
	aside = fgomp_queue_new();
	fg_policy_slice(&bubble, leaf[0]);
}

static void
watchdog(void)
{
	for (uint64_t now = 1; !fg_load_acquire(&over); now += UINT64_C(3000000000)) {
		if (!model_broken("no watchdog"))
			fg_watchdog_look(now, now);
		fg_carrier->pause();
	}
}
MODEL_SCENARIO(watchdog, .setup = setup_forgets, .thread = {aside_owner, forgets_policy, watchdog},
	       .check = check_aside,
	       .broken = MODEL_BROKEN("fault no watchdog", "weaken fgomp_queue_new:cas_release",
				      "weaken fg_policy_aside_first:load_acquire",
				      "weaken fg_spinlock_unlock:exchange_acq_rel"));

/* The policy brings the bubble back in time, and much later puts it aside again. It is not to blame. Its thieves serve
 * all PUs. */
static void
setup_twice(void)
{
	setup_aside();
	fg_policies.wants |= FG_WANTS_IDLE;
}

static void
aside_twice(void)
{
	take_first(leaf[0], aside);
	fg_watchdog_look(1, 1);
	take_first(aside, leaf[0]);
	fg_watchdog_look(UINT64_C(1000000000), UINT64_C(1000000000));
	take_first(leaf[0], aside);
	fg_watchdog_look(UINT64_C(4000000000), UINT64_C(4000000000));
	take_first(aside, leaf[0]);
}
MODEL_SCENARIO(watchdog_forgets, .setup = setup_twice, .thread = {aside_owner, aside_twice}, .check = check_aside);
