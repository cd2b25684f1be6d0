/* Workers ask one policy to redistribute at the same time (sched/redistribute.c): one call at a time, and what one call
 * has left the next one sees.
 *
 * Sources: forest/check.c
 * With: floor
 */
#include "forestgomp/sched.h"
#include "interleave/policies.h"

static unsigned calls, inside; /* plain: the checker finds calls that overlap */

static bool
redistribute(void *self, enum fgomp_occasion why, struct fg_runqueue *level)
{
	(void)self;
	(void)why;
	(void)level;
	calls++;
	model_assert(inside++ == 0);
	model_point("within the policy");
	inside--;
	return true;
}

static const struct fgomp_sched asked = {
	.abi = FGOMP_SCHED_ABI, .name = "asked", .summary = "-", .redistribute = redistribute};

static void
setup_asked(void)
{
	setup();
	fg_policy.sched = &asked;
	fg_policies.wants = fg_sched_wants(&asked);
}

static void
idles(void)
{
	floor_root(true);
	fg_policy_redistribute(FGOMP_PU_IDLE, leaf[1]);
}

static void
ends(void)
{
	floor_root(true);
	fg_policy_redistribute(FGOMP_TEAM_ENDED, leaf[2]);
}

/* Each occasion alone is never too early here, so only a call under way drops one. */
static void
check_asked(void)
{
	model_assert(calls >= 1 && calls <= 2 && inside == 0);
	model_assert(fg_load_relaxed(&fg_policy.redistribution.asked) == 0);
}
MODEL_SCENARIO(redistributed, .setup = setup_asked, .thread = {idles, ends}, .check = check_asked,
	       .broken = MODEL_BROKEN("weaken ask:exchange_acquire", "weaken ask:store_release",
				      "drop ask:store_release"));
