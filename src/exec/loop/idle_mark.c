/* Idle mark (floor: exec): see idle_mark.h. */
#include "exec/loop/idle_mark.h"

#include "base/carrier.h"
#include "base/lock_order.h"
#include "sched/policy.h"

#define LONG_NS 20000

/* A short wait, as at most barriers, tells nothing. So the PU counts as idle only after a longer one, and threads that
 * meet small teams meanwhile pay nothing for it. The policy is asked at most once while the worker spins and once
 * before it sleeps; the next thing that is made ready wakes it. */
void
fg_idle_mark_turn(struct fg_idle_mark *idling, struct fg_runqueue *leaf, bool spins)
{
	assert(fg_lock_order_none("tells a policy with"));
	if (__builtin_expect(idling->leaf && idling->leaf != leaf, 0))
		fg_idle_mark_end(idling); /* the worker has another seat */
	if (!idling->leaf)
		*idling = (struct fg_idle_mark){leaf, fg_carrier->now(), false};
	if (spins && (idling->told || fg_carrier->now() - idling->since < LONG_NS))
		return;
	idling->told = true;
	fg_runqueue_mark(leaf, 1);
	fg_policy_redistribute(FGOMP_PU_IDLE, leaf);
}
