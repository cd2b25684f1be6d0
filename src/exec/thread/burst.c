/* Burst (floor: exec): see burst.h. */
#include "exec/thread/burst.h"

#include "exec/thread/worker.h"
#include "sched/home.h"

__attribute__((noinline)) void
fg_burst_end_slow(struct fg_identity *self, struct fg_bubble *team, bool waits)
{
	uint64_t ns = fg_carrier->now() - self->burst_since;
	self->burst_since = 0;
	fg_home_burst(team, &self->entity, waits, fg_worker_leaf(self->worker)->first_pu, ns);
}
