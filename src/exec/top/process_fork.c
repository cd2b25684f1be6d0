/* The child of a fork (floor: exec): see process_fork.h. The other kernel threads do not exist here, and may have been
 * anywhere when they vanished. So the child makes anew all that they were changing. It reads only structures that are
 * whole at any moment: the list of workers, the tree of levels, the caller's leaf. The others' memory is left as it
 * is. */
#include "exec/top/process_fork.h"

#include <string.h>

#include "exec/body/binding.h"
#include "exec/body/kernel_thread.h"
#include "exec/donor/donor.h"
#include "exec/donor/donor_pool.h"
#include "exec/flat/dock.h"
#include "exec/grant/grant.h"
#include "exec/kernel/kernel_team.h"
#include "exec/loop/park.h"
#include "exec/move/stop.h"
#include "exec/nested/birth.h"
#include "exec/relief/hold.h"
#include "exec/relief/spare.h"
#include "exec/roots/root.h"
#include "exec/thread/facts.h"
#include "exec/thread/identity.h"
#include "exec/thread/levels.h"
#include "exec/thread/root_state.h"
#include "exec/thread/wake.h"
#include "exec/watch/daemons.h"
#include "exec/watch/monitor.h"
#include "forest/live.h"
#include "platform/membarrier.h"
#include "sched/layer.h"
#include "sched/policy.h"

void
fg_exec_after_fork(void)
{
	struct fg_identity *self = fg_self();
	assert(!self || !fg_load_stable(&self->in_runtime));
	fg_membarrier_after_fork();
	struct fg_root *root = self ? fg_root_around(self) : NULL;
	fg_dock_after_fork(root);
	fg_donor_pool_after_fork();
	fg_donor_after_fork();
	fg_identities_after_fork();
	fg_births_after_fork();
	fg_levels_after_fork();
	fg_policy_aside_after_fork();
	fg_layer_after_fork();
	fg_park_after_fork();
	fg_spare_after_fork();
	fg_stop_after_fork();
	fg_daemons_after_fork();
	fg_monitor_after_fork(); /* while the workers of the parent are still known: it closes their ticks */
	fg_grant_after_fork();
	fg_trace_after_fork();
	fg_root_after_fork();
	fg_kernel_team_after_fork();
	fg_store_relaxed(&fg_idle.sleepers, 0);
	fg_workers_forget();
	fg_live_after_fork(self ? &self->live : NULL);
	if (!self)
		return;
	fg_hold_after_fork(self);
	fg_store_relaxed(&self->entity.sent, NULL); /* no policy knows the thread any more */
	self->place = 0;
	fg_binding_leave(self->worker);
	fg_worker_after_fork(self, root);
	fg_kernel_thread_enlist(self->worker);
	if (self->root) {
		memset(root->members, 0, sizeof root->members);
		memset(root->n_members, 0, sizeof root->n_members);
		root->size = root->slots = 0;
		root->kernel_members = NULL;
		root->n_kernel_members = 0;
		root->kernel_births = NULL;
		/* The summaries have phases that this process will use again. Their memory stays. */
		root->groups = NULL;
		root->copies = 0;
	}
}
