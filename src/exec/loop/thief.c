/* Thief (floor: exec): see thief.h. */
#include "exec/loop/thief.h"

#include "exec/ground/hooks.h"
#include "exec/loop/idle.h"
#include "exec/thread/worker.h"
#include "sched/policy.h"

#define THIEF_WAIT_MAX 256
#define THIEF_WAIT_ASK 64 /* from here on it is worth the cost to ask for a member of the flat team */

/* True: during the search the docked thread, or one that is pinned here, became ready. Then the worker steals nothing,
 * because its own work would wait. */
static bool
has_own(void *arg)
{
	const struct fg_thief *thief = arg;
	return fg_load_relaxed(&thief->worker->pinned.count) != 0 || (thief->ready && thief->ready(thief->worker));
}

bool
fg_thief_ask(struct fg_thief *thief, struct fg_claim *claim)
{
	struct fg_worker *worker = thief->worker;
	assert(fg_worker_is_own(worker) && !claim->bubble && !claim->thread);
	claim->withdrawn = has_own;
	claim->thief = thief;
	if (fg_policy_idle(fg_worker_leaf(worker), thief->turn++, claim))
		return true;
	if (thief->woken)
		thief->woken = has_own(thief);
	return false;
}

bool
fg_thief_look(struct fg_thief *thief, struct fg_claim *claim)
{
	assert(thief->left > 0 && thief->left <= thief->wait && thief->wait <= THIEF_WAIT_MAX);
	if (--thief->left)
		return false;
	if (thief->wait < THIEF_WAIT_MAX)
		thief->wait *= 2;
	thief->left = thief->wait;
	if (!fg_policy_steals())
		return false;
	if ((thief->carries || thief->worker->donors.first) && fg_thief_ask(thief, claim))
		return true;
	if (thief->wait >= THIEF_WAIT_ASK)
		fg_exec_hooks.ask(thief->worker);
	return false;
}

void
fg_thief_turn_away(const struct fg_thief *thief)
{
	if (__builtin_expect(thief->woken, 0))
		fg_idle_pass_on(thief->worker);
}
