/* Idling (floor: exec): see idling.h. */
#include "exec/loop/idling.h"

#include <assert.h>

#include "base/lock_order.h"
#include "exec/ground/options.h"
#include "sched/time_calls.h"

void
fg_idling_begin(struct fg_idle_span *idling, struct fg_runqueue *leaf, uint64_t now)
{
	uint64_t after = fg_exec_options.kernel_threads ? UINT64_MAX : fg_policy_idle_after(leaf);
	idling->since = now;
	idling->tell_at = after < UINT64_MAX - now ? now + after : UINT64_MAX;
}

void
fg_idling_look(struct fg_idle_span *idling, struct fg_runqueue *leaf, uint64_t now)
{
	if (now < idling->tell_at)
		return;
	assert(now >= idling->since && fg_lock_order_none("tells a policy with"));
	idling->tell_at = UINT64_MAX;
	fg_policy_idles(leaf, now - idling->since);
}

uint64_t
fg_idling_left(const struct fg_idle_span *idling, uint64_t now)
{
	if (idling->tell_at == UINT64_MAX)
		return 0;
	return now < idling->tell_at ? idling->tell_at - now : 1;
}
