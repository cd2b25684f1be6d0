/* Grain (floor: exec): see grain.h. */
#include "exec/thread/grain.h"

#include "exec/thread/worker.h"
#include "sched/decision.h"
#include "sched/home.h"
#include "sched/in_force.h"

/* The mark is taken as one of fg_live_tree_send is: from the next wait on the thread is there. Only a free mark is set,
 * so one that a policy sets at the same time lasts. A pinned thread cannot go. The mark ends with the member, and
 * member 0 gets none: it goes on in the team around. */
static void
go(struct fg_identity *self, struct fg_runqueue *home)
{
	void *nowhere = NULL;
	if (self->pinned || !fg_cas_release(&self->entity.sent, &nowhere, home))
		return;
	fg_decision_begin(fg_policy.sched, FG_DECIDER_runtime);
	fg_reason("it is dear to be away from home");
	fg_decision_placed(&self->entity, fg_place_of(NULL), fg_place_of(home));
}

__attribute__((noinline)) void
fg_grain_end_slow(struct fg_identity *self, struct fg_bubble *team, bool waits)
{
	uint64_t ns = fg_carrier->now() - self->grain_since;
	self->grain_since = 0;
	unsigned pu = fg_worker_leaf(self->worker)->first_pu;
	struct fg_runqueue *home = fg_home_grain(team, self->entity.number, waits, pu, ns);
	if (home && waits && self->entity.bubble == team)
		go(self, home);
}
