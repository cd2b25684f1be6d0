/* Idling (floor: exec): see idling.h. */
#include "exec/loop/idling.h"

#include "exec/ground/options.h"
#include "exec/thread/worker.h"
#include "exec/thread/worker_parts.h"
#include "sched/time_calls.h"

void
fg_idling_begin(struct fg_worker *worker, uint64_t now)
{
	assert(fg_worker_is_own(worker));
	uint64_t after = fg_exec_options.kernel_threads ? UINT64_MAX : fg_policy_idle_after(fg_worker_leaf(worker));
	fg_parts(worker)->idling.since = now;
	fg_parts(worker)->idling.tell_at = after < UINT64_MAX - now ? now + after : UINT64_MAX;
}

void
fg_idling_look(struct fg_worker *worker, uint64_t now)
{
	if (now < fg_parts(worker)->idling.tell_at)
		return;
	assert(fg_worker_is_own(worker) && now >= fg_parts(worker)->idling.since &&
	       fg_lock_order_none("tells a policy with"));
	fg_parts(worker)->idling.tell_at = UINT64_MAX;
	fg_policy_idles(fg_worker_leaf(worker), now - fg_parts(worker)->idling.since);
}

uint64_t
fg_idling_left(const struct fg_worker *worker, uint64_t now)
{
	if (fg_parts(worker)->idling.tell_at == UINT64_MAX)
		return 0;
	return now < fg_parts(worker)->idling.tell_at ? fg_parts(worker)->idling.tell_at - now : 1;
}
