/* Helpers (floor: exec): see helpers.h. */
#include "exec/helpers/helpers.h"

#include <assert.h>

#include "base/lock_order.h"
#include "exec/flat/help.h"
#include "exec/loop/crew.h"
#include "exec/nested/birth.h"
#include "exec/nested/rejoin.h"
#include "exec/thread/dock_state.h"
#include "exec/thread/wake.h"
#include "exec/thread/worker_parts.h"

/* The notes of a sleeping worker tell the region that it would help. They may be read as a hint only. A worker writes
 * them, then looks for tasks, and then sleeps. So if a waker reads old notes, the worker's own look finds the task. */
static bool
looks_after(const struct fg_worker *worker, const struct fg_births *births)
{
	return fg_load_relaxed(&fg_parts(worker)->past.births) == births &&
	       fg_load_relaxed(&fg_parts(worker)->past.region) == births->rejoin.region &&
	       fg_rejoin_is_for(worker, births);
}

bool
fg_helpers_wake(struct fg_births *births, const struct fg_worker *but)
{
	FG_EACH_WORKER (worker)
		if (worker != but && fg_load_relaxed(&worker->asleep) && looks_after(worker, births) &&
		    fg_wake_worker(worker))
			return true;
	return false;
}

/* Regions of two docks may have the same number. */
static bool
is_posted_to(const struct fg_worker *worker, const struct fg_dock *dock)
{
	const struct fg_berth *post = fg_load_relaxed(&worker->post);
	return post && post->dock == dock;
}

bool
fg_helpers_wake_docked(const struct fg_dock *dock, const struct fg_worker *but)
{
	uint64_t region = fg_load_relaxed(&dock->fork.help_word) >> 16;
	if (region == 0)
		return false;
	FG_EACH_WORKER (worker)
		if (worker != but && fg_load_relaxed(&worker->asleep) && fg_load_relaxed(&worker->helps) == region &&
		    is_posted_to(worker, dock) && fg_wake_worker(worker))
			return true;
	return false;
}

bool
fg_helpers_may_call(const struct fg_worker *worker)
{
	return fg_help_may_call_crew(worker) || fg_rejoin_may_call(worker);
}

bool
fg_helpers_called_here(struct fg_worker *worker)
{
	return fg_help_calls_crew(worker) || fg_rejoin_called(worker);
}

struct fg_identity *
fg_helpers_take(struct fg_worker *worker, struct fg_identity *self)
{
	assert(fg_lock_order_none("calls members for tasks with") && fg_worker_is_own(worker) && worker->carries);
	if (fg_help_calls_crew(worker))
		return fg_crew_recall(worker);
	return fg_rejoin_called(worker) ? fg_rejoin_take(worker, self) : NULL;
}
